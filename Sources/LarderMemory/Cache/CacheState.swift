public import Synchronization

/// Everything that a `MemoryCache` guards with its barrier.
@usableFromInline
@safe
struct CacheState<Key: Hashable & Sendable, Value: Sendable>: ~Copyable {
    @usableFromInline
    struct Pair: Sendable {
        @usableFromInline var key: Key
        @usableFromInline var value: Value

        @inlinable
        init(key: Key, value: Value) {
            self.key = key
            self.value = value
        }
    }

    @usableFromInline var table: EntryTable

    // Safety: `pairs` has room for `pairCapacity` pairs; those of the table's live slots are initialised, no others.
    @usableFromInline var pairs: UnsafeMutablePointer<Pair>
    @usableFromInline var pairCapacity: Int

    var configuration: MemoryCacheConfiguration
    @usableFromInline var hooks = MemoryCache<Key, Value>.Hooks() {
        didSet { hasHooks = hooks.needsBarrier }
    }
    @usableFromInline private(set) var hasHooks = false
    @usableFromInline var insertions: UInt64 = 0
    @usableFromInline var refusals: UInt64 = 0
    @usableFromInline var removals = [UInt64](repeating: 0, count: RemovalCause.allCases.count)

    init(configuration: MemoryCacheConfiguration, now: Int64) {
        self.configuration = configuration
        table = EntryTable(
            limits: EntryLimits(configuration),
            order: configuration.policy.makeOrder(),
            now: now
        )
        pairCapacity = table.capacity
        unsafe pairs = .allocate(capacity: pairCapacity)
    }

    @inlinable
    deinit {
        for slot in table.slots { unsafe (pairs + slot).deinitialize(count: 1) }
        unsafe pairs.deallocate()
    }

    // MARK: Looking up

    @inlinable
    @inline(__always)
    func slot(of key: Key, hash: UInt64) -> Int? {
        table.index.slot(of: hash) { unsafe pairs[$0].key == key }
    }

    @inlinable
    @inline(__always)
    func isAlive(_ slot: Int, at now: Int64) -> Bool {
        let written = table.records[slot].written
        return now < table.records[slot].expiry && now &- written < table.ageLimit
            && (table.idleLimit == .max
                || now &- AccessStamp.time(table.records[slot].stamp.load(ordering: .relaxed)) < table.idleLimit)
    }

    /// A lookup that counts as an access: it stamps the entry and moves nothing.
    @inlinable
    @inline(__always)
    func value(of key: Key, hash: UInt64, at now: Int64, in tally: borrowing LaneTally) -> Value? {
        guard let slot = slot(of: key, hash: hash), isAlive(slot, at: now) else {
            LaneTally.increment(tally.misses)
            return nil
        }
        let previous = max(tally.stamp.load(ordering: .relaxed), table.lastStamp)
        let stamp = AccessStamp.next(after: previous, at: now)
        tally.stamp.store(stamp, ordering: .relaxed)
        table.records[slot].stamp.store(stamp, ordering: .relaxed)
        if table.countsHits { table.records[slot].countHit() }
        LaneTally.increment(tally.hits)
        return unsafe pairs[slot].value
    }

    // MARK: Changing

    /// Puts a pair into a slot for a key that is not in the table.
    @inlinable
    mutating func insert(_ pair: Pair, as entry: NewEntry) {
        table.reserveSlot()
        if table.capacity > pairCapacity { growPairs() }
        let slot = table.insert(entry)
        unsafe (pairs + slot).initialize(to: pair)
        insertions += 1
    }

    /// Puts another value into a live slot and gives the old one back.
    ///
    /// The stored key stays: it is equal.
    @inlinable
    mutating func replace(_ slot: Int, with value: Value, as entry: NewEntry) -> Value {
        table.replace(slot, with: entry)
        return exchange(slot, for: value)
    }

    /// Exchanges the value alone, where the table knows of it already.
    @inlinable
    mutating func exchange(_ slot: Int, for value: Value) -> Value {
        insertions += 1
        var value = value
        unsafe swap(&pairs[slot].value, &value)
        return value
    }

    /// Takes a pair out of its slot.
    @inlinable
    mutating func remove(_ slot: Int, isFiled: Bool, cause: RemovalCause) -> Pair {
        table.remove(slot, isFiled: isFiled)
        count(cause)
        return unsafe (pairs + slot).move()
    }

    @inlinable
    mutating func count(_ cause: RemovalCause, times: Int = 1) {
        removals[cause.rawValue] &+= UInt64(times)
    }

    /// Starts with an empty table and gives the old one back, to be released after the barrier.
    mutating func takeAll(now: Int64) -> RetiredState<Key, Value> {
        count(.removed, times: table.count)
        var fresh = CacheState(configuration: configuration, now: now)
        fresh.hooks = hooks
        fresh.insertions = insertions
        fresh.refusals = refusals
        fresh.removals = removals
        fresh.table.lastStamp = table.lastStamp
        swap(&self, &fresh)
        return RetiredState(fresh)
    }

    @inlinable
    mutating func growPairs() {
        let grown = UnsafeMutablePointer<Pair>.allocate(capacity: table.capacity)
        for slot in table.slots { unsafe (grown + slot).moveInitialize(from: pairs + slot, count: 1) }
        unsafe pairs.deallocate()
        unsafe pairs = grown
        pairCapacity = table.capacity
    }

    // MARK: Inspecting

    /// The pairs of the entries that are alive, in the given order of slots or in no particular one.
    func livePairs(at now: Int64, in slots: [Int]? = nil) -> [Pair] {
        (slots ?? table.slots).filter { isAlive($0, at: now) }.map { unsafe pairs[$0] }
    }

    func add(to statistics: inout MemoryCacheStatistics) {
        statistics.insertions = insertions
        statistics.refusals = refusals
        statistics.count = table.count
        statistics.totalCost = Int(clamping: table.totalCost)
        for cause in RemovalCause.allCases where removals[cause.rawValue] > 0 {
            statistics.removals[cause] = removals[cause.rawValue]
        }
    }

    /// The bytes that the state occupies, without what keys and values hold elsewhere.
    var bytes: Int { table.bytes + pairCapacity * MemoryLayout<Pair>.stride }
}

/// A state that a `removeAll` has replaced, kept until nobody is in the barrier any more.
final class RetiredState<Key: Hashable & Sendable, Value: Sendable> {
    private let state: CacheState<Key, Value>

    init(_ state: consuming CacheState<Key, Value>) {
        self.state = state
    }
}
