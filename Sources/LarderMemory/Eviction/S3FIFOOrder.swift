/// S3-FIFO: a small queue of newcomers, a main queue, and a memory of keys that left the small one.
///
/// After Yang, Zhang, Qiu, Yue and Rashmi, "FIFO queues are all you need for cache eviction" (SOSP 2023). Most keys of
/// most workloads are asked for once: they pass through the small queue and never disturb the main one. A key that comes
/// back while it is remembered goes into the main queue at once.
struct S3FIFOOrder: EvictionOrder {
    private enum Segment {
        static let small: UInt8 = 0
        static let main: UInt8 = 1
    }

    private let smallShare: Double
    private let ghostShare: Double
    private let threshold: UInt8

    private var small = SlotList()
    private var main = SlotList()
    private var ghost = GhostQueue()
    private var mainCapacity = Int.max
    private var ghostCapacity = Int.max

    /// Whether the entry that room is being made for was remembered.
    private var newcomerIsKnown = false

    /// Hits beyond these do not count: an entry goes round the main queue at most so many times without another hit.
    private static let maximumHits: UInt8 = 3

    init(small: Double, ghost: Double, threshold: Int) {
        smallShare = small
        ghostShare = ghost
        self.threshold = UInt8(clamping: threshold)
    }

    var countsHits: Bool { true }
    var bytes: Int { ghost.bytes }

    func emptied() -> S3FIFOOrder {
        S3FIFOOrder(small: smallShare, ghost: ghostShare, threshold: Int(threshold))
    }

    mutating func resize(to capacity: Int) {
        mainCapacity = capacity == .max ? .max : capacity - capacity.share(smallShare)
        ghostCapacity = ghostShare == 0 ? 0 : capacity.share(ghostShare)
        ghost.trim(to: ghostCapacity)
    }

    mutating func prepare(hash: UInt64, weight: Int) {
        newcomerIsKnown = ghost.remove(hash)
    }

    mutating func insert(_ slot: Int, weight: Int, in records: EntryRecords) {
        records.setHits(slot, to: 0)
        if newcomerIsKnown {
            records[slot].segment = Segment.main
            main.pushFront(slot, weight: weight, in: records)
        } else {
            records[slot].segment = Segment.small
            small.pushFront(slot, weight: weight, in: records)
        }
        newcomerIsKnown = false
    }

    mutating func replace(_ slot: Int, oldWeight: Int, newWeight: Int, in records: EntryRecords) {
        records.countHit(slot)
        if records[slot].segment == Segment.main {
            main.reweigh(from: oldWeight, to: newWeight)
        } else {
            small.reweigh(from: oldWeight, to: newWeight)
        }
    }

    mutating func remove(_ slot: Int, weight: Int, in records: EntryRecords) {
        if records[slot].segment == Segment.main {
            main.remove(slot, weight: weight, in: records)
        } else {
            small.remove(slot, weight: weight, in: records)
        }
    }

    mutating func popVictim(in records: EntryRecords, weight: (Int) -> Int) -> Int? {
        while !small.isEmpty || !main.isEmpty {
            let victim =
                if main.weight > mainCapacity || small.isEmpty {
                    popMain(in: records, weight: weight)
                } else {
                    popSmall(in: records, weight: weight)
                }
            if let victim { return victim }
        }
        return nil
    }

    /// Takes an entry without hits out of the main queue; those with hits go round with one less.
    private mutating func popMain(in records: EntryRecords, weight: (Int) -> Int) -> Int? {
        while let slot = main.last {
            let hits = min(records.hits(slot), Self.maximumHits)
            let weight = weight(slot)
            main.remove(slot, weight: weight, in: records)
            guard hits > 0 else { return slot }
            records.setHits(slot, to: hits - 1)
            main.pushFront(slot, weight: weight, in: records)
        }
        return nil
    }

    /// Takes an entry that was not hit often enough out of the small queue; the others move to the main one.
    ///
    /// - Returns: `nil` when all have moved.
    private mutating func popSmall(in records: EntryRecords, weight: (Int) -> Int) -> Int? {
        while let slot = small.last {
            let weight = weight(slot)
            small.remove(slot, weight: weight, in: records)
            guard records.hits(slot) >= threshold else {
                remember(slot, weight: weight, in: records)
                return slot
            }
            records.setHits(slot, to: 0)
            records[slot].segment = Segment.main
            main.pushFront(slot, weight: weight, in: records)
        }
        return nil
    }

    mutating func putBack(_ slot: Int, weight: Int, in records: EntryRecords) {
        if records[slot].segment == Segment.main {
            main.pushBack(slot, weight: weight, in: records)
        } else {
            ghost.remove(records[slot].hash)
            small.pushBack(slot, weight: weight, in: records)
        }
    }

    private mutating func remember(_ slot: Int, weight: Int, in records: EntryRecords) {
        ghost.insert(
            records[slot].hash,
            weight: weight,
            weightLimit: ghostCapacity,
            countLimit: max(1024, (small.count + main.count) * 4)
        )
    }
}
