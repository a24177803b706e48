/// W-TinyLFU: a window of newcomers, and a main area into which the frequent ones among them are admitted.
///
/// After Einziger, Friedman and Manes, "TinyLFU: A Highly Efficient Cache Admission Policy" (2017), as built in Caffeine.
/// There hits are recorded in buffers and replayed; here a hit moves nothing but the stamp and the hit count in its
/// entry's record, and the order catches up with a few entries at each eviction.
struct TinyLFUOrder: EvictionOrder {
    private static let windowMark: UInt8 = 0

    private var window = RecencyQueue(segment: windowMark)
    private var main = SegmentedQueue()
    private var sketch = FrequencySketch()
    private var balance: WindowBalance

    /// The weight of the entry that room is being made for; `nil` in a trim.
    private var incoming: Int?

    /// The slot whose hits were counted last by going round all slots, and the first slot that was never used.
    private var hand = 0
    private var slotBound = 0

    /// The state of a generator that is fed with hashes, which nobody outside can know.
    private var luck: UInt64 = 0

    init(window: Double?) {
        balance = WindowBalance(fixed: window)
    }

    var countsHits: Bool { true }
    var bytes: Int { window.bytes + main.bytes + sketch.bytes + balance.bytes }

    private var count: Int { window.count + main.count }

    /// Without a capacity nothing competes, and there is no need to know who is frequent.
    private var isBounded: Bool { balance.mainCapacity != .max }

    func emptied() -> TinyLFUOrder {
        TinyLFUOrder(window: balance.adapts ? nil : balance.share)
    }

    mutating func resize(to capacity: Int) {
        balance.resize(to: capacity)
        main.resize(to: balance.mainCapacity)
    }

    mutating func prepare(hash: UInt64, weight: Int) {
        guard isBounded else { return }
        incoming = weight
        luck = (luck ^ hash) &* 0x9E37_79B9_7F4A_7C15
        sketch.reserve(count + 1)
        sketch.add(hash)
        balance.miss(hash, weight: weight)
        main.resize(to: balance.mainCapacity)
    }

    mutating func insert(_ slot: Int, weight: Int, in records: EntryRecords) {
        incoming = nil
        slotBound = max(slotBound, slot + 1)
        records.setHits(slot, to: 0)
        window.insert(slot, weight: weight, in: records)
    }

    mutating func replace(_ slot: Int, oldWeight: Int, newWeight: Int, in records: EntryRecords) {
        records.countHit(slot)
        if records[slot].segment == Self.windowMark {
            window.reweigh(from: oldWeight, to: newWeight)
        } else {
            main.reweigh(slot, from: oldWeight, to: newWeight, in: records)
        }
    }

    mutating func remove(_ slot: Int, weight: Int, in records: EntryRecords) {
        if records[slot].segment == Self.windowMark {
            window.remove(slot, weight: weight, in: records)
        } else {
            main.remove(slot, weight: weight, in: records)
        }
    }

    mutating func popVictim(in records: EntryRecords, weight: (Int) -> Int) -> Int? {
        catchUp(in: records, weight: weight)
        while windowIsOver, let candidate = window.least(in: records) {
            if incoming != nil, main.weight &+ weight(candidate) <= balance.mainCapacity {
                window.remove(candidate, weight: weight(candidate), in: records)
                sketch.takeHits(of: candidate, in: records)
                main.admit(candidate, weight: weight(candidate), in: records)
                continue
            }
            guard let victim = main.victim(in: records, countingInto: &sketch, weight: weight) else { break }
            let loser = prefers(candidate, over: victim, in: records) ? victim : candidate
            return pop(loser, weight: weight(loser), in: records)
        }
        let last = main.victim(in: records, countingInto: &sketch, weight: weight) ?? window.least(in: records)
        return last.map { pop($0, weight: weight($0), in: records) }
    }

    mutating func putBack(_ slot: Int, weight: Int, in records: EntryRecords) {
        balance.forget(records[slot].hash)
        if records[slot].segment == Self.windowMark {
            window.insert(slot, weight: weight, in: records)
        } else {
            main.putBack(slot, weight: weight, in: records)
        }
    }

    // MARK: Choosing

    /// Whether the window's last must go to the main area or out; in a trim it always competes with the main area's.
    private var windowIsOver: Bool {
        guard let incoming else { return true }
        return window.weight > balance.windowCapacity - incoming
    }

    private mutating func prefers(_ candidate: Int, over victim: Int, in records: EntryRecords) -> Bool {
        sketch.takeHits(of: candidate, in: records)
        sketch.takeHits(of: victim, in: records)
        let frequency = sketch.frequency(records[candidate].hash)
        let threshold = sketch.frequency(records[victim].hash)
        if frequency == threshold, balance.favoursNewcomers { return true }
        // Now and then a frequent loser gets in, lest a victim that shares its counters with others stays for ever.
        return frequency > threshold || (frequency >= 6 && isLucky())
    }

    /// True once in 512 times.
    private mutating func isLucky() -> Bool {
        luck ^= luck << 13
        luck ^= luck >> 7
        luck ^= luck << 17
        return luck & 511 == 0
    }

    private mutating func pop(_ slot: Int, weight: Int, in records: EntryRecords) -> Int {
        remove(slot, weight: weight, in: records)
        sketch.takeHits(of: slot, in: records)
        let countLimit = max(1024, count * 4)
        if records[slot].segment == Self.windowMark {
            balance.windowLost(records[slot].hash, weight: weight, countLimit: countLimit)
        } else {
            balance.mainLost(records[slot].hash, weight: weight, countLimit: countLimit)
        }
        return slot
    }

    // MARK: Catching up

    /// Counts the hits of three more entries, going round.
    ///
    /// Hits left in the records do not age and promote nobody: found only when an entry is about to leave, they cost up
    /// to a point and a half of hits on the traces.
    private mutating func catchUp(in records: EntryRecords, weight: (Int) -> Int) {
        for _ in 0..<min(3, slotBound) {
            hand = hand + 1 < slotBound ? hand + 1 : 0
            // So an entry that was given out and is not gone yet is passed over.
            guard records.hits(hand) > 0 else { continue }
            switch records[hand].segment {
            case Self.windowMark:
                sketch.takeHits(of: hand, in: records)
            case SegmentedQueue.probationMark, SegmentedQueue.protectedMark:
                main.touch(hand, in: records, countingInto: &sketch, weight: weight)
            default: break
            }
        }
    }
}
