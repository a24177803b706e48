/// Exactly least recently used, found lazily.
///
/// A hit only moves the stamp in the entry's record. The order files each slot under the stamp it knew: newcomers in a
/// queue, where stamps rise by themselves, and entries that turned out to have been used since in a heap. A filed stamp
/// is never newer than the true one, so when the smallest filed stamp is also true, its entry is the least recently used;
/// when it is not, the entry is filed again under the true one. Each hit costs at most one such refiling, later.
///
/// Entries that leave otherwise stay behind as stale filings (their record's `position` no longer matches) and are swept
/// when they outnumber the live ones.
struct LRUOrder: EvictionOrder {
    struct Filing: Sendable, Comparable {
        var stamp: Int64
        var slot: UInt32

        static func < (left: Filing, right: Filing) -> Bool { left.stamp < right.stamp }
    }

    private var newcomers: [Filing] = []
    private var firstNewcomer = 0
    private var used = FilingHeap()
    private var live = 0

    mutating func insert(_ slot: Int, weight: Int, in records: EntryRecords) {
        let stamp = records.stamp(slot)
        records[slot].segment = 0
        records[slot].position = UInt64(bitPattern: stamp)
        if newcomers.count > firstNewcomer, newcomers[newcomers.count - 1].stamp > stamp {
            // Only when orders are exchanged at run time, or with a clock that was moved: still right, not as cheap.
            used.insert(Filing(stamp: stamp, slot: UInt32(slot)))
        } else {
            newcomers.append(Filing(stamp: stamp, slot: UInt32(slot)))
        }
        live += 1
        sweepIfMostlyStale(in: records)
    }

    // A replacement moves the stamp, which is all that this order goes by.
    var filesReplacements: Bool { false }

    mutating func replace(_ slot: Int, oldWeight: Int, newWeight: Int, in records: EntryRecords) {}

    mutating func remove(_ slot: Int, weight: Int, in records: EntryRecords) {
        records[slot].position = 0
        live -= 1
    }

    mutating func popVictim(in records: EntryRecords, weight: (Int) -> Int) -> Int? {
        while let (filing, isNewcomer) = smallestFiling {
            let slot = Int(filing.slot)
            if records[slot].isFree || records[slot].position != UInt64(bitPattern: filing.stamp) {
                drop(isNewcomer)
                continue
            }
            let stamp = records.stamp(slot)
            if stamp == filing.stamp {
                drop(isNewcomer)
                records[slot].position = 0
                live -= 1
                return slot
            }
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
        } else if firstNewcomer >= 1024, firstNewcomer * 2 > newcomers.count {
            newcomers.removeFirst(firstNewcomer)
            firstNewcomer = 0
        }
    }

    private mutating func sweepIfMostlyStale(in records: EntryRecords) {
        let filed = newcomers.count - firstNewcomer + used.count
        guard filed > 2 * live + 64 else { return }
        var kept = (newcomers[firstNewcomer...] + used.filings).filter {
            !records[Int($0.slot)].isFree && records[Int($0.slot)].position == UInt64(bitPattern: $0.stamp)
        }
        kept.sort()
        newcomers = Array(kept)
        firstNewcomer = 0
        used = FilingHeap()
    }
}
