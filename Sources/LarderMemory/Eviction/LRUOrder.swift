/// Exactly least recently used.
struct LRUOrder: EvictionOrder {
    private var queue = RecencyQueue(segment: 0)

    // A replacement moves the stamp, which is all that this order goes by.
    var filesReplacements: Bool { false }

    var bytes: Int { queue.bytes }

    func emptied() -> LRUOrder { LRUOrder() }

    mutating func insert(_ slot: Int, weight: Int, in records: EntryRecords) {
        queue.insert(slot, weight: 0, in: records)
    }

    mutating func replace(_ slot: Int, oldWeight: Int, newWeight: Int, in records: EntryRecords) {}

    mutating func remove(_ slot: Int, weight: Int, in records: EntryRecords) {
        queue.remove(slot, weight: 0, in: records)
    }

    mutating func popVictim(in records: EntryRecords, weight: (Int) -> Int) -> Int? {
        queue.popLeast(in: records) { _ in 0 }
    }

    mutating func putBack(_ slot: Int, weight: Int, in records: EntryRecords) {
        queue.insert(slot, weight: 0, in: records)
    }
}
