/// Slots in exact order of last access, found lazily.
///
/// A hit only moves the stamp in the entry's record. The queue files each slot under the stamp it knew: newcomers in a
/// list, where stamps rise by themselves, and entries that turned out to have been used since in a heap. A filed stamp
/// is never newer than the true one, so when the smallest filed stamp is also true, its entry is the least recently used;
/// when it is not, the entry is filed again under the true one. Each hit costs at most one such refiling, later.
///
/// Entries that leave from the middle stay behind as stale filings (their record's `position` or `segment` no longer
/// matches) and are swept when they outnumber the live ones.
struct RecencyQueue: Sendable {
    struct Filing: Sendable, Comparable {
        var stamp: Int64
        var slot: UInt32

        static func < (left: Filing, right: Filing) -> Bool { left.stamp < right.stamp }
    }

    /// The mark of this queue's entries in their records.
    let segment: UInt8

    private var newcomers: [Filing] = []
    private var firstNewcomer = 0
    private var used = FilingHeap()

    /// The sum of the weights that were given with the slots.
    private(set) var weight = 0
    private(set) var count = 0

    init(segment: UInt8) {
        self.segment = segment
    }

    mutating func insert(_ slot: Int, weight: Int, in records: EntryRecords) {
        let filing = Filing(stamp: records.stamp(slot), slot: UInt32(slot))
        records[slot].segment = segment
        records[slot].position = UInt64(bitPattern: filing.stamp)
        if newcomers.count > firstNewcomer, newcomers[newcomers.count - 1].stamp > filing.stamp {
            used.insert(filing)
        } else {
            newcomers.append(filing)
        }
        self.weight &+= weight
        count += 1
        sweepIfMostlyStale(in: records)
    }

    mutating func remove(_ slot: Int, weight: Int, in records: EntryRecords) {
        // No stamp is negative: the filing is stale from here on.
        records[slot].position = .max
        self.weight &-= weight
        count -= 1
    }

    /// Accounts for an entry that stays where it is with another weight.
    mutating func reweigh(from old: Int, to new: Int) {
        weight = weight &- old &+ new
    }

    /// The least recently used slot, which stays in the queue.
    mutating func least(in records: EntryRecords) -> Int? {
        settle(in: records)?.slot
    }

    /// Takes out the least recently used slot.
    mutating func popLeast(in records: EntryRecords, weight: (Int) -> Int) -> Int? {
        guard let (slot, isNewcomer) = settle(in: records) else { return nil }
        drop(isNewcomer)
        remove(slot, weight: weight(slot), in: records)
        return slot
    }

    /// Files used entries again until the smallest filing is true.
    private mutating func settle(in records: EntryRecords) -> (slot: Int, isNewcomer: Bool)? {
        while let (filing, isNewcomer) = smallestFiling {
            let slot = Int(filing.slot)
            guard isTrue(filing, in: records) else {
                drop(isNewcomer)
                continue
            }
            let stamp = records.stamp(slot)
            if stamp == filing.stamp { return (slot, isNewcomer) }
            records[slot].position = UInt64(bitPattern: stamp)
            let refiled = Filing(stamp: stamp, slot: filing.slot)
            if isNewcomer {
                drop(true)
                used.insert(refiled)
            } else {
                used.replaceFirst(with: refiled)
            }
        }
        return nil
    }

    private func isTrue(_ filing: Filing, in records: EntryRecords) -> Bool {
        let slot = Int(filing.slot)
        return records[slot].segment == segment && records[slot].position == UInt64(bitPattern: filing.stamp)
    }

    private var smallestFiling: (filing: Filing, isNewcomer: Bool)? {
        let newcomer = firstNewcomer < newcomers.count ? newcomers[firstNewcomer] : nil
        switch (newcomer, used.first) {
        case (nil, nil): return nil
        case (let newcomer?, nil): return (newcomer, true)
        case (nil, let used?): return (used, false)
        case (let newcomer?, let used?): return newcomer < used ? (newcomer, true) : (used, false)
        }
    }

    private mutating func drop(_ isNewcomer: Bool) {
        guard isNewcomer else {
            used.removeFirst()
            return
        }
        firstNewcomer += 1
        if firstNewcomer == newcomers.count {
            newcomers.removeAll(keepingCapacity: true)
            firstNewcomer = 0
        } else if firstNewcomer >= 32, firstNewcomer * 2 > newcomers.count {
            newcomers.removeFirst(firstNewcomer)
            firstNewcomer = 0
        }
    }

    private mutating func sweepIfMostlyStale(in records: EntryRecords) {
        let filed = newcomers.count - firstNewcomer + used.count
        guard filed > 2 * count + 64 else { return }
        var kept = (newcomers[firstNewcomer...] + used.filings).filter { isTrue($0, in: records) }
        kept.sort()
        newcomers = Array(kept)
        firstNewcomer = 0
        used = FilingHeap()
    }

    /// The bytes that the queue occupies beside the records.
    var bytes: Int { (newcomers.capacity + used.filings.capacity) * MemoryLayout<Filing>.stride }
}
