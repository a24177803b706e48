internal import Synchronization

/// The bookkeeping of a cache without its keys and values: index, records, limits, eviction order, expiry.
///
/// Not generic, so that it is compiled once and not in every client. Slots are small integers; the owner keeps keys and
/// values in a block of its own under the same numbers.
@usableFromInline
struct EntryTable: ~Copyable {
    @usableFromInline var index = SlotIndex()
    @usableFromInline var records: EntryRecords
    private var firstFree = SlotList.none
    private var used = 0

    /// The number of entries, expired ones that nothing has removed yet included.
    @usableFromInline var count = 0

    /// Exact beyond the range of `Int`: two entries may cost `Int.max` each.
    @usableFromInline var totalCost: Int128 = 0

    var limits: EntryLimits { didSet { limitsChanged(from: oldValue) } }
    var order: any EvictionOrder
    @usableFromInline var countsHits: Bool
    var wheel: ExpiryWheel

    /// Whether the order must be told of replacements: not when it looks at nothing but stamps.
    var filesReplacements: Bool

    /// Whether a replacement by an entry that lives for ever concerns nothing but its slot: no limit refuses it, weighs it or
    /// ends its life, and the order need not be told.
    @usableFromInline var replacesPlainly = false

    /// Whether an entry was ever given a cost: until then all details say zero, and need not be looked at.
    @usableFromInline var holdsCosts = false

    /// Whether a replacement is likely to change the details of its slot.
    @inlinable var writesDetails: Bool { holdsCosts || !replacesPlainly }

    /// The earliest due time among the writes since the timer was last set; `Int64.max` for none.
    @usableFromInline var earliestNewDue: Int64 = .max

    /// What the timer is set for; `Int64.max` while it is not.
    ///
    /// Kept here so that a write need not ask the timer.
    @usableFromInline var timerDue: Int64 = .max

    /// The newest stamp that a write has given out: readers continue from it.
    @usableFromInline var lastStamp: Int64 = 0

    /// The limits on lives, copied out of `limits` because every write or hit asks; `Int64.max` for none.
    var ageLimit: Int64
    @usableFromInline var idleLimit: Int64

    /// Makes an empty table for the slots of a block.
    ///
    /// - Parameters:
    ///   - block: Where the slots stand.
    ///   - limits: The limits in force.
    ///   - order: The eviction policy at work, empty.
    ///   - now: The present, from which the wheel counts.
    init(_ block: SlotMemory, limits: EntryLimits, order: any EvictionOrder, now: Int64) {
        records = EntryRecords(block)
        self.limits = limits
        self.order = order
        countsHits = order.countsHits
        filesReplacements = order.filesReplacements
        wheel = ExpiryWheel(now: now)
        ageLimit = limits.age
        idleLimit = limits.idle
        self.order.resize(to: limits.capacity)
        settingsChanged()
    }

    @inlinable
    deinit {
        deallocateRecords()
    }

    @usableFromInline
    func deallocateRecords() {
        records.deallocate()
    }

    /// Whether the next insertion needs a larger block.
    @usableFromInline var isFull: Bool { firstFree == SlotList.none && used == records.capacity }

    /// Goes on with a larger block, into which the slots have been moved.
    @usableFromInline
    mutating func grow(into block: SlotMemory) {
        records = records.grown(for: block)
    }

    /// Adds an entry whose key is not in the table, which must not be full.
    ///
    /// Room must have been made within the limits.
    @usableFromInline
    mutating func insert(_ entry: NewEntry) -> Int {
        if index.isFull { index.grow(slots.lazy.map { [records] in ($0, records[$0].hash) }) }
        let slot: Int
        if firstFree == SlotList.none {
            slot = used
            used += 1
        } else {
            slot = Int(firstFree)
            firstFree = UInt32(truncatingIfNeeded: records[slot].position)
        }
        records[slot].hash = entry.hash
        index.insert(slot, hash: entry.hash)
        set(slot, to: entry)
        count += 1
        order.insert(slot, weight: weight(slot), in: records)
        return slot
    }

    /// Gives an entry the dates and the cost of a new value.
    @usableFromInline
    mutating func replace(_ slot: Int, with entry: NewEntry) {
        let oldWeight = weight(slot)
        set(slot, to: entry)
        guard filesReplacements else { return }
        order.replace(slot, oldWeight: oldWeight, newWeight: weight(slot), in: records)
    }

    /// Does all that there is to do outside the slot for a replacement while `replacesPlainly` holds and neither the old value
    /// nor the new one has an end.
    @inlinable
    @inline(__always)
    mutating func replacePlainly(_ slot: Int, cost: Int, stamp: Int64) {
        if holdsCosts || cost != 0 { setCost(slot, to: cost) }
        lastStamp = stamp
    }

    /// Gives a slot a cost, where that or any before it is not zero.
    @usableFromInline
    mutating func setCost(_ slot: Int, to cost: Int) {
        totalCost += Int128(cost) - Int128(records.cost(slot))
        unsafe records.details(slot).pointee.cost = cost
        holdsCosts = true
    }

    func cost(_ slot: Int) -> Int { holdsCosts ? records.cost(slot) : 0 }

    func weight(_ slot: Int) -> Int { limits.weighsByCost ? cost(slot) : 1 }

    /// Does `replace` if nothing stands in its way: the entry lives, and the new one is neither refused nor in need of room.
    @usableFromInline
    mutating func replaceAtOnce(_ slot: Int, with entry: NewEntry, at now: Int64) -> Bool {
        guard cause(ofDeath: slot, at: now) == nil, refusal(of: entry, at: now) == nil,
            overflow(adding: entry, replacing: slot) == nil
        else { return false }
        replace(slot, with: entry)
        return true
    }

    private mutating func set(_ slot: Int, to entry: NewEntry) {
        if holdsCosts || entry.cost != 0 { setCost(slot, to: entry.cost) }
        setDates(slot, written: entry.written, expiry: entry.expiry)
        records.setStamp(slot, to: entry.stamp)
        lastStamp = max(lastStamp, entry.stamp)
        let due = dueTime(slot)
        guard due != .max || !wheel.isEmpty else { return }
        wheel.schedule(slot, due: due)
        earliestNewDue = min(earliestNewDue, due)
    }

    /// Removes an entry.
    ///
    /// `isFiled` is false for a victim, which the order has let go already.
    @usableFromInline
    mutating func remove(_ slot: Int, isFiled: Bool) {
        if isFiled { order.remove(slot, weight: weight(slot), in: records) }
        if !wheel.isEmpty { wheel.cancel(slot) }
        index.remove(slot, hash: records[slot].hash) { [records] in records[$0].hash }
        if holdsCosts { setCost(slot, to: 0) }
        count -= 1
        records[slot].segment = EntryRecord.free
        records[slot].position = UInt64(firstFree)
        firstFree = UInt32(slot)
    }

    /// The live slots, in no particular order.
    @usableFromInline
    var slots: [Int] {
        (0..<used).filter { !records[$0].isFree }
    }

    /// The live slots whose last access lies before a time, in no particular order.
    ///
    /// A stamp tells no more than the granule of its access, so an access within the granule of `time` counts as since.
    func slots(unusedSince time: Int64) -> [Int] {
        slots.filter { AccessStamp.time(records.stamp($0)) < AccessStamp.time(time) }
    }

    /// The live slots, costliest first, of equal ones the least recently used first.
    var slotsByCost: [Int] {
        slots.sorted {
            (cost($1), records.stamp($0)) < (cost($0), records.stamp($1))
        }
    }

    /// The live slots, least recently used first.
    var slotsByRecency: [Int] {
        slots.map { (records.stamp($0), $0) }.sorted { $0.0 < $1.0 }.map(\.1)
    }

    /// The bytes of index, records, wheel and order.
    var bytes: Int {
        index.bytes + records.bytes + wheel.bytes + order.bytes
    }
}
