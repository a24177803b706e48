/// From first to last in; with a second chance for those that were hit, also CLOCK.
struct PlainFIFO: PlainOrder {
    let givesSecondChance: Bool
    private var slots: [Int] = []
    private var hitSlots: Set<Int> = []

    init(givesSecondChance: Bool) {
        self.givesSecondChance = givesSecondChance
    }

    mutating func insert(_ slot: Int, hash: UInt64, weight: Int) {
        slots.append(slot)
        hitSlots.remove(slot)
    }

    mutating func hit(_ slot: Int) {
        if givesSecondChance { hitSlots.insert(slot) }
    }

    mutating func remove(_ slot: Int) { slots.take(slot) }

    mutating func popVictim() -> Int? {
        while !slots.isEmpty {
            let slot = slots.removeFirst()
            if hitSlots.remove(slot) == nil { return slot }
            slots.append(slot)
        }
        return nil
    }

    mutating func putBack(_ slot: Int) { slots.insert(slot, at: 0) }
}
