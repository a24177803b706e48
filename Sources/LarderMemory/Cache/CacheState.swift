public import Synchronization

/// Everything that a `MemoryCache` guards with its barrier.
@usableFromInline
@safe
struct CacheState<Key: Hashable & Sendable, Value: Sendable>: ~Copyable {
    @usableFromInline typealias Block = EntryBlock<Key, Value>
    @usableFromInline typealias Pair = Block.Pair

    @usableFromInline var table: EntryTable

    // Safety: the pairs of the table's live slots are initialised, no others.
    @usableFromInline var block: Block

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
        block = Block(capacity: 16)
        table = EntryTable(
            block.memory,
            limits: EntryLimits(configuration),
            order: configuration.policy.makeOrder(),
            now: now
        )
    }

    @inlinable
    deinit {
        for slot in table.slots { unsafe block.pair(slot).deinitialize(count: 1) }
    }

    // MARK: Looking up

    @inlinable
    @inline(__always)
    func slot(of key: Key, hash: UInt64) -> Int? {
        table.index.slot(of: hash) { unsafe block.pair($0).pointee.key == key }
    }

    /// As `slot(of:hash:)`, for a slot that will be written: the details come along while the key is compared.
    @inlinable
    @inline(__always)
    func slotToWrite(of key: Key, hash: UInt64) -> Int? {
        table.index.slot(of: hash) { slot in
            if table.writesDetails { table.records.prefetchDetails(slot) }
            return unsafe block.pair(slot).pointee.key == key
        }
    }

    @inlinable
    @inline(__always)
    func isAlive(_ slot: Int, at now: Int64) -> Bool {
        let header = unsafe block.header(slot)
        return unsafe !header.pointee.end.hasPassed(at: now)
            && (table.idleLimit == .max
                || now &- AccessStamp.time(header.pointee.stamp.load(ordering: .relaxed)) < table.idleLimit)
    }

    /// A lookup that counts as an access: it stamps the entry and moves nothing.
    @inlinable
    @inline(__always)
    func value(
        of key: Key,
        hash: UInt64,
        at now: Int64,
        in tally: borrowing LaneTally,
        asTier isTier: Bool = false
    ) -> Value? {
        guard let slot = slot(of: key, hash: hash), isAlive(slot, at: now) else {
            LaneTally.increment(tally.misses)
            return nil
        }
        let previous = max(tally.stamp.load(ordering: .relaxed), table.lastStamp)
        let stamp = AccessStamp.next(after: previous, at: now)
        tally.stamp.store(stamp, ordering: .relaxed)
        if table.countsHits {
            unsafe block.header(slot).pointee.touchAndCount(stamp)
        } else {
            unsafe block.header(slot).pointee.touch(stamp)
        }
        if isTier { LaneTally.increment(tally.tierHits) } else { LaneTally.increment(tally.hits) }
        return unsafe block.pair(slot).pointee.value
    }

    // MARK: Changing

    /// Puts a pair into a slot for a key that is not in the table.
    @inlinable
    mutating func insert(_ pair: Pair, as entry: NewEntry) {
        if table.isFull { grow() }
        let slot = table.insert(entry)
        unsafe block.pair(slot).initialize(to: pair)
        insertions += 1
    }

    /// Makes a replacement that concerns nobody but its slot, and gives the old value back.
    ///
    /// `nil`, and nothing is done, if more is to be looked at: hooks, limits, ends of lives, the eviction order.
    @inlinable
    @inline(__always)
    mutating func replacePlainly(
        _ slot: Int,
        with incoming: IncomingValue<Value>,
        at now: Int64,
        stamp: @autoclosure () -> Int64
    ) -> Value? {
        let header = unsafe block.header(slot)
        guard table.replacesPlainly, !hasHooks, incoming.life == .max, unsafe header.pointee.end.isEndless else {
            return nil
        }
        let stamp = stamp()
        unsafe header.pointee.touch(stamp)
        unsafe header.pointee.end = EntryEnd(endlessSince: now &- incoming.age)
        table.replacePlainly(slot, cost: incoming.cost, stamp: stamp)
        return exchange(slot, for: incoming.value)
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
        unsafe swap(&block.pair(slot).pointee.value, &value)
        return value
    }

    /// Takes a pair out of its slot.
    @inlinable
    mutating func remove(_ slot: Int, isFiled: Bool, cause: RemovalCause) -> Pair {
        table.remove(slot, isFiled: isFiled)
        count(cause)
        return unsafe block.pair(slot).move()
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

    /// Doubles the number of slots.
    @inlinable
    mutating func grow() {
        let larger = Block(capacity: block.capacity * 2)
        block.move(to: larger, liveSlots: table.slots)
        table.grow(into: larger.memory)
        block = larger
    }

    // MARK: Inspecting

    /// The pairs of the entries that are alive, in the given order of slots or in no particular one.
    func livePairs(at now: Int64, in slots: [Int]? = nil) -> [Pair] {
        (slots ?? table.slots).filter { isAlive($0, at: now) }.map { unsafe block.pair($0).pointee }
    }

    func add(to statistics: inout MemoryCacheStatistics) {
        statistics.insertions = insertions
        statistics.refusals = refusals
        statistics.count = table.count
        statistics.totalCost = Int(clamping: table.totalCost)
        for cause in RemovalCause.allCases where removals[cause.rawValue] > 0 {
            statistics.removals[cause] = removals[cause.rawValue]
        }
        // Every value written is still there, was removed, or was replaced: no need to count replacements one by one.
        let replaced = insertions &- UInt64(table.count) &- removals.reduce(0, &+)
        if replaced > 0 { statistics.removals[.replaced] = replaced }
    }

    /// The bytes that the state occupies, without what keys and values hold elsewhere.
    var bytes: Int { table.bytes + block.bytes }
}

/// A state that a `removeAll` has replaced, kept until nobody is in the barrier any more.
final class RetiredState<Key: Hashable & Sendable, Value: Sendable>: @unchecked Sendable {
    // because: nobody reads or changes the state any more; it is only released.

    private let state: CacheState<Key, Value>

    init(_ state: consuming CacheState<Key, Value>) {
        self.state = state
    }
}
