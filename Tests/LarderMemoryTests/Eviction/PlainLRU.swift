/// From least to most recently used.
struct PlainLRU: PlainOrder {
    private var slots: [Int] = []

    mutating func insert(_ slot: Int, hash: UInt64, weight: Int) { slots.append(slot) }

    mutating func hit(_ slot: Int) {
        slots.take(slot)
        slots.append(slot)
    }

    mutating func remove(_ slot: Int) { slots.take(slot) }
    mutating func popVictim() -> Int? { slots.isEmpty ? nil : slots.removeFirst() }
    mutating func putBack(_ slot: Int) { slots.insert(slot, at: 0) }
}
