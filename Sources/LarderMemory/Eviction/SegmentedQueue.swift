/// The main area of `TinyLFUOrder`: entries on probation, and protected ones that were hit while on it.
///
/// An entry on probation leaves it by its first hit or as a victim, so probation is a plain queue; hits are found when an
/// entry reaches the tail or when `touch` comes by. The protected part is in order of last access; what does not fit
/// there goes back on probation.
struct SegmentedQueue: Sendable {
    static let probationMark: UInt8 = 1
    static let protectedMark: UInt8 = 2

    private var probation = SlotList()
    private var protected = RecencyQueue(segment: protectedMark)
    private static let protectedShare = 0.8

    /// The weight that the protected part may have.
    private var protectedCapacity = Int.max

    var weight: Int { probation.weight &+ protected.weight }
    var count: Int { probation.count + protected.count }
    var bytes: Int { protected.bytes }

    mutating func resize(to capacity: Int) {
        protectedCapacity = capacity.share(Self.protectedShare)
    }

    /// Puts an entry without hits on probation.
    mutating func admit(_ slot: Int, weight: Int, in records: EntryRecords) {
        records[slot].segment = Self.probationMark
        probation.pushFront(slot, weight: weight, in: records)
    }

    /// Files an entry again where `victim` found it.
    mutating func putBack(_ slot: Int, weight: Int, in records: EntryRecords) {
        if records[slot].segment == Self.protectedMark {
            protected.insert(slot, weight: weight, in: records)
        } else {
            probation.pushBack(slot, weight: weight, in: records)
        }
    }

    mutating func remove(_ slot: Int, weight: Int, in records: EntryRecords) {
        if records[slot].segment == Self.protectedMark {
            protected.remove(slot, weight: weight, in: records)
        } else {
            probation.remove(slot, weight: weight, in: records)
        }
    }

    mutating func reweigh(_ slot: Int, from old: Int, to new: Int, in records: EntryRecords) {
        if records[slot].segment == Self.protectedMark {
            protected.reweigh(from: old, to: new)
        } else {
            probation.reweigh(from: old, to: new)
        }
    }

    /// The entry that should leave next; it stays where it is.
    mutating func victim(
        in records: EntryRecords,
        countingInto sketch: inout FrequencySketch,
        weight: (Int) -> Int
    ) -> Int? {
        while let slot = probation.last {
            guard records.hits(slot) > 0 else { return slot }
            promote(slot, in: records, countingInto: &sketch, weight: weight)
        }
        return protected.least(in: records)
    }

    /// Does what hits on the entry have made due.
    mutating func touch(
        _ slot: Int,
        in records: EntryRecords,
        countingInto sketch: inout FrequencySketch,
        weight: (Int) -> Int
    ) {
        if records[slot].segment == Self.protectedMark {
            sketch.takeHits(of: slot, in: records)
        } else {
            promote(slot, in: records, countingInto: &sketch, weight: weight)
        }
    }

    private mutating func promote(
        _ slot: Int,
        in records: EntryRecords,
        countingInto sketch: inout FrequencySketch,
        weight: (Int) -> Int
    ) {
        sketch.takeHits(of: slot, in: records)
        probation.remove(slot, weight: weight(slot), in: records)
        protected.insert(slot, weight: weight(slot), in: records)
        while protected.weight > protectedCapacity, let demoted = protected.popLeast(in: records, weight: weight) {
            // Else it would be promoted again for the hits that it got while protected.
            sketch.takeHits(of: demoted, in: records)
            admit(demoted, weight: weight(demoted), in: records)
        }
    }
}
