/// A hierarchical timer wheel over slots: adding and removing cost O(1), whatever the number of different lives.
///
/// Eight levels of 64 buckets; a tick is 2^20 ns (1.05 ms). An entry lies on the level of the highest group of six bits in
/// which its due tick differs from the present one, in the bucket that this group names. So a bucket of level 0 holds one
/// exact tick, and a bucket above holds a range that begins after the present. When the present reaches such a range, its
/// entries move down, a few at a time if need be: a bucket at the present's own position is by definition not yet moved.
struct ExpiryWheel: Sendable {
    private static let tickShift: Int64 = 20
    private static let levels = 8
    private static let none = UInt32.max
    private static let unscheduled = Int64.max

    private var heads = [UInt32](repeating: none, count: levels * 64)
    private var occupied = [UInt64](repeating: 0, count: levels)
    private var present: Int64
    private var count = 0

    /// Whether nothing is scheduled: the usual case, to be asked before anything else.
    var isEmpty: Bool { count == 0 }

    private var next: [UInt32] = []
    private var previous: [UInt32] = []
    private var bucket: [UInt16] = []
    /// The time each slot is filed under, or `unscheduled`.
    private var due: [Int64] = []

    init(now: Int64) {
        present = Self.tick(now)
    }

    /// Files a slot under its due time, or moves it there if that is earlier than what it is filed under.
    ///
    /// One that becomes due later stays where it is and comes out early, to be scheduled again: a value that is replaced all
    /// the time by others with a life costs one such move a life, not one a replacement.
    /// A time in the past is due at once; `Int64.max` is never due.
    mutating func schedule(_ slot: Int, due time: Int64) {
        guard time != .max else { return cancel(slot) }
        if slot >= due.count { makeRoom(for: slot) }
        guard time < due[slot] else { return }
        if due[slot] != Self.unscheduled { unlink(slot) }
        due[slot] = time
        link(slot)
    }

    mutating func cancel(_ slot: Int) {
        guard slot < due.count, due[slot] != Self.unscheduled else { return }
        unlink(slot)
        due[slot] = Self.unscheduled
    }

    private mutating func unlink(_ slot: Int) {
        let index = Int(bucket[slot])
        let (before, after) = (previous[slot], next[slot])
        if before == Self.none { heads[index] = after } else { next[Int(before)] = after }
        if after != Self.none { previous[Int(after)] = before }
        if heads[index] == Self.none { occupied[index / 64] &= ~(1 << UInt64(index % 64)) }
        count -= 1
    }

    /// Takes out one slot whose due time lies in a tick that has begun, so it may be due in up to a tick, or later if it was
    /// scheduled again for a later time.
    ///
    /// - Returns: `nil` when there is none, or when `budget` has run out, which each step lowers.
    mutating func popDue(now: Int64, budget: inout Int) -> Int? {
        let nowTick = max(present, Self.tick(now))
        while budget > 0 {
            budget -= 1
            if let index = unmovedBucket() {
                let slot = Int(heads[index])
                unlink(slot)
                link(slot)
                continue
            }
            guard let (level, index) = nextBucket() else {
                present = nowTick
                return nil
            }
            let start = startOfBucket(level: level, index: index)
            guard start <= nowTick else {
                present = nowTick
                return nil
            }
            present = start
            guard level == 0 else { continue }
            let slot = Int(heads[index])
            cancel(slot)
            return slot
        }
        return nil
    }

    /// A time before which nothing is due; `nil` when nothing is scheduled.
    var earliestDue: Int64? {
        if isEmpty { return nil }
        if unmovedBucket() != nil { return present << Self.tickShift }
        return nextBucket().map { startOfBucket(level: $0.level, index: $0.index) << Self.tickShift }
    }

    // MARK: Buckets

    /// A bucket above level 0 that the present has reached and that still holds entries.
    private func unmovedBucket() -> Int? {
        for level in 1..<Self.levels {
            let position = Self.group(present, level)
            if occupied[level] & (1 << UInt64(position)) != 0 { return level * 64 + position }
        }
        return nil
    }

    /// The first bucket at or after the present: lower levels hold only what comes before all of the higher ones.
    private func nextBucket() -> (level: Int, index: Int)? {
        for level in 0..<Self.levels where occupied[level] != 0 {
            return (level, level * 64 + occupied[level].trailingZeroBitCount)
        }
        return nil
    }

    private func startOfBucket(level: Int, index: Int) -> Int64 {
        let shift = Int64(level * 6)
        let above = (present >> (shift + 6)) << (shift + 6)
        return above | Int64(index % 64) << shift
    }

    private mutating func link(_ slot: Int) {
        let tick = max(present, Self.tick(due[slot]))
        let difference = tick ^ present
        let level = difference == 0 ? 0 : min(Self.levels - 1, (63 - difference.leadingZeroBitCount) / 6)
        let index = level * 64 + Self.group(tick, level)
        next[slot] = heads[index]
        previous[slot] = Self.none
        if heads[index] != Self.none { previous[Int(heads[index])] = UInt32(slot) }
        heads[index] = UInt32(slot)
        bucket[slot] = UInt16(index)
        count += 1
        occupied[index / 64] |= 1 << UInt64(index % 64)
    }

    private mutating func makeRoom(for slot: Int) {
        let missing = max(64, slot + 1, due.count * 2) - due.count
        next.append(contentsOf: repeatElement(Self.none, count: missing))
        previous.append(contentsOf: repeatElement(Self.none, count: missing))
        bucket.append(contentsOf: repeatElement(0, count: missing))
        due.append(contentsOf: repeatElement(Self.unscheduled, count: missing))
    }

    private static func group(_ tick: Int64, _ level: Int) -> Int {
        Int(tick >> Int64(level * 6)) & 63
    }

    private static func tick(_ time: Int64) -> Int64 {
        max(0, time) >> tickShift
    }

    /// The bytes that the wheel occupies.
    var bytes: Int {
        bucket.capacity * 2 + next.capacity * 4 + previous.capacity * 4 + due.capacity * 8 + heads.count * 4
    }
}
