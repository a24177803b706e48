/// First in, first out; with `givesSecondChance` also CLOCK: an entry that was hit since it was filed goes round again.
struct FIFOOrder: EvictionOrder {
    let givesSecondChance: Bool
    private var queue = SlotList()

    init(givesSecondChance: Bool) {
        self.givesSecondChance = givesSecondChance
    }

    var countsHits: Bool { givesSecondChance }
    var bytes: Int { 0 }

    func emptied() -> FIFOOrder { FIFOOrder(givesSecondChance: givesSecondChance) }

    mutating func insert(_ slot: Int, weight: Int, in records: EntryRecords) {
        records[slot].segment = 0
        records.setHits(slot, to: 0)
        queue.pushFront(slot, weight: weight, in: records)
    }

    mutating func replace(_ slot: Int, oldWeight: Int, newWeight: Int, in records: EntryRecords) {
        queue.reweigh(from: oldWeight, to: newWeight)
        if givesSecondChance { records.setHits(slot, to: 1) }
    }

    mutating func remove(_ slot: Int, weight: Int, in records: EntryRecords) {
        queue.remove(slot, weight: weight, in: records)
    }

    mutating func popVictim(in records: EntryRecords, weight: (Int) -> Int) -> Int? {
        while let slot = queue.last {
            let weight = weight(slot)
            queue.remove(slot, weight: weight, in: records)
            guard givesSecondChance, records.hits(slot) > 0 else { return slot }
            records.setHits(slot, to: 0)
            queue.pushFront(slot, weight: weight, in: records)
        }
        return nil
    }

    mutating func putBack(_ slot: Int, weight: Int, in records: EntryRecords) {
        queue.pushBack(slot, weight: weight, in: records)
    }
}
