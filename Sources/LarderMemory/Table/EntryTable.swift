internal import Synchronization

/// The bookkeeping of a cache without its keys and values: index, records, limits, eviction order, expiry.
///
/// Not generic, so that it is compiled once and not in every client. Slots are small integers; the owner keeps keys and
/// values in a block of its own under the same numbers.
@usableFromInline
struct EntryTable: ~Copyable {
    @usableFromInline var index = SlotIndex()
    @usableFromInline private(set) var records: EntryRecords
    private var firstFree = SlotList.none
    private var used = 0

    /// The number of entries, expired ones that nothing has removed yet included.
    @usableFromInline private(set) var count = 0

    /// Exact beyond the range of `Int`: two entries may cost `Int.max` each.
    @usableFromInline var totalCost: Int128 = 0

    var limits: EntryLimits { didSet { limitsChanged(from: oldValue) } }
    private(set) var order: any EvictionOrder
    @usableFromInline private(set) var countsHits: Bool
    private(set) var wheel: ExpiryWheel

    /// Whether the order must be told of replacements: not when it looks at nothing but stamps.
    private var filesReplacements: Bool

    /// Whether a replacement by an entry that lives for ever concerns nothing but its slot: no limit refuses it, weighs it or
    /// ends its life, and the order need not be told.
    @usableFromInline private(set) var replacesPlainly = false

    /// Whether an entry was ever given a cost: until then all details say zero, and need not be looked at.
    @usableFromInline private(set) var holdsCosts = false

    /// Whether a replacement is likely to change the details of its slot.
    @usableFromInline private(set) var writesDetails = true

    /// The earliest due time among the writes since the timer was last set; `Int64.max` for none.
    @usableFromInline private(set) var earliestNewDue: Int64 = .max

    /// What the timer is set for; `Int64.max` while it is not.
    ///
    /// Kept here so that a write need not ask the timer.
    @usableFromInline private(set) var timerDue: Int64 = .max

    /// The newest stamp that a write has given out: readers continue from it.
    @usableFromInline var lastStamp: Int64 = 0

    /// The limits on lives, copied out of `limits` because every write or hit asks; `Int64.max` for none.
    private var ageLimit: Int64
    @usableFromInline private(set) var idleLimit: Int64

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

    // MARK: Entries

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
        order.replace(
            slot,
            oldWeight: oldWeight,
            newWeight: weight(slot),
            in: records
        )
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
        guard !holdsCosts else { return }
        holdsCosts = true
        settingsChanged()
    }

    private func cost(_ slot: Int) -> Int { holdsCosts ? records.cost(slot) : 0 }

    private func weight(_ slot: Int) -> Int { limits.weighsByCost ? cost(slot) : 1 }

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

    private func setDates(_ slot: Int, written: Int64, expiry: Int64) {
        let deadline = min(expiry, written.addingSaturating(ageLimit))
        if deadline == .max {
            unsafe records.header(slot).pointee.end = EntryEnd(endlessSince: written)
        } else {
            unsafe records.header(slot).pointee.end = EntryEnd(at: deadline)
            unsafe records.details(slot).pointee.written = written
            unsafe records.details(slot).pointee.expiry = expiry
        }
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

    // MARK: Limits

    /// Tells the order that a key is about to come in, before room is made.
    @usableFromInline
    mutating func prepare(for entry: NewEntry) {
        order.prepare(hash: entry.hash, weight: limits.weight(ofCost: entry.cost))
    }

    /// The limit that keeps an entry out altogether: it cannot fit alone, or its life is over already.
    @usableFromInline
    func refusal(of entry: NewEntry, at now: Int64) -> RemovalCause? {
        if let cause = limits.refusal(ofCost: entry.cost) { return cause }
        if now >= entry.expiry { return .expired }
        return now >= entry.written.addingSaturating(ageLimit) ? .evictedByAge : nil
    }

    /// Whether a new entry, in place of the one in `slot` if any, needs others to leave, and by which limit.
    @usableFromInline
    func overflow(adding entry: NewEntry, replacing slot: Int?) -> RemovalCause? {
        if slot == nil, count >= limits.count { return .evictedByCount }
        guard limits.weighsByCost else { return nil }
        let replaced = slot.map { cost($0) } ?? 0
        return totalCost - Int128(replaced) + Int128(entry.cost) > Int128(limits.cost) ? .evictedByCost : nil
    }

    /// Takes the next victim out of the order, but never `spared`.
    @usableFromInline
    mutating func popVictim(sparing spared: Int?) -> Int? {
        guard let slot = popVictim() else { return nil }
        guard slot == spared else { return slot }
        // Kept aside meanwhile: the order would name it again.
        let other = popVictim()
        order.putBack(slot, weight: weight(slot), in: records)
        return other
    }

    private mutating func popVictim() -> Int? {
        let (records, weighsByCost) = (records, limits.weighsByCost)
        return order.popVictim(in: records) { weighsByCost ? records.cost($0) : 1 }
    }

    /// Puts another eviction order in place, with the entries filed from least to most recently used.
    mutating func exchangeOrder(for order: any EvictionOrder) {
        self.order = order
        countsHits = order.countsHits
        filesReplacements = order.filesReplacements
        self.order.resize(to: limits.capacity)
        settingsChanged()
        refile()
    }

    private mutating func settingsChanged() {
        replacesPlainly =
            !filesReplacements && !limits.weighsByCost && limits.count > 0 && ageLimit == .max && idleLimit == .max
        writesDetails = holdsCosts || !replacesPlainly
    }

    private mutating func refile() {
        for slot in slotsByRecency {
            order.insert(slot, weight: weight(slot), in: records)
        }
    }

    private mutating func limitsChanged(from old: EntryLimits) {
        ageLimit = limits.age
        idleLimit = limits.idle
        if limits.weighsByCost != old.weighsByCost {
            // Weights changed their unit: the order's sums would mix both.
            exchangeOrder(for: order.emptied())
        } else {
            order.resize(to: limits.capacity)
        }
        settingsChanged()
        if limits.age != old.age || limits.idle != old.idle {
            for slot in slots {
                let dates = records.dates(slot)
                setDates(slot, written: dates.written, expiry: dates.expiry)
                wheel.schedule(slot, due: dueTime(slot))
            }
        }
    }

    // MARK: Expiry

    /// Why the entry is dead at `now`; `nil` while it lives.
    @usableFromInline
    func cause(ofDeath slot: Int, at now: Int64) -> RemovalCause? {
        if unsafe records.header(slot).pointee.end.hasPassed(at: now) {
            return now >= records.dates(slot).expiry ? .expired : .evictedByAge
        }
        guard idleLimit != .max else { return nil }
        return now >= AccessStamp.time(records.stamp(slot)).addingSaturating(idleLimit) ? .evictedByIdleness : nil
    }

    /// Takes dead slots out of the wheel, within a budget of steps.
    ///
    /// The caller removes them.
    ///
    /// Entries used since they were scheduled, and those due within the present tick but not yet, are scheduled again.
    @usableFromInline
    mutating func takeDead(now: Int64, budget: inout Int) -> [(slot: Int, cause: RemovalCause)] {
        var dead: [(slot: Int, cause: RemovalCause)] = []
        var alive: [Int] = []
        while let slot = wheel.popDue(now: now, budget: &budget) {
            if let cause = cause(ofDeath: slot, at: now) { dead.append((slot, cause)) } else { alive.append(slot) }
        }
        // After the loop: an entry due in the present tick would come up again at once.
        for slot in alive { wheel.schedule(slot, due: dueTime(slot)) }
        return dead
    }

    /// A time before which no entry is dead; `nil` when none will ever be.
    var earliestDue: Int64? { wheel.earliestDue }

    /// Notes for which time the timer has been set.
    mutating func timerWasSet(for due: Int64?) {
        timerDue = due ?? .max
        earliestNewDue = .max
    }

    private func dueTime(_ slot: Int) -> Int64 {
        let idle = idleLimit == .max ? .max : AccessStamp.time(records.stamp(slot)).addingSaturating(idleLimit)
        return unsafe min(records.header(slot).pointee.end.deadline, idle)
    }

    /// The bytes of index, records, wheel and order.
    var bytes: Int {
        index.bytes + records.bytes + wheel.bytes + order.bytes
    }
}

/// What a write brings: the dates, the cost and the hash of an entry.
@usableFromInline
struct NewEntry {
    @usableFromInline let hash: UInt64
    @usableFromInline let cost: Int
    @usableFromInline let written: Int64
    @usableFromInline let expiry: Int64
    @usableFromInline let stamp: Int64

    @inlinable
    init(hash: UInt64, cost: Int, written: Int64, expiry: Int64, stamp: Int64) {
        self.hash = hash
        self.cost = cost
        self.written = written
        self.expiry = expiry
        self.stamp = stamp
    }
}
