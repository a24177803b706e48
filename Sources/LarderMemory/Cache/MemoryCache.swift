public import Dispatch
public import Synchronization

/// A bounded, thread-safe cache in memory.
///
/// Not an actor: every call can be made from any thread, task or queue, and returns with its work done. Reads run beside
/// each other; writes run alone, as barriers of a concurrent queue. Uncontended calls do not touch the queue at
/// all: a hit costs one hash, one announcement and no allocation.
///
/// Limits hold whenever a call returns. Values that leave are released after the barrier, so a value's `deinit` may use the
/// cache. A value of class type is shared with its readers, who must synchronise their changes to it.
///
/// What each call does follows TMMemoryCache, with one difference: every limit is optional, `nil` means none and zero means
/// that nothing is kept.
@safe
public final class MemoryCache<Key: Hashable & Sendable, Value: Sendable>: @unchecked Sendable {
    // because: `state` is reached only inside bodies that `barrier` runs, and everything else is Sendable.

    @usableFromInline typealias Pair = CacheState<Key, Value>.Pair
    @usableFromInline typealias Removed = LarderMemory.Removed<Key, Value>

    @usableFromInline let barrier: BarrierQueue

    // Safety: one initialised state from init until deinit, reached only inside `barrier`.
    @usableFromInline let state: UnsafeMutablePointer<CacheState<Key, Value>>
    @usableFromInline let hasher: KeyHash
    @usableFromInline let indexHint = IndexHint()
    @usableFromInline let clock: CacheClock

    /// Whether writes must take the queue, because hooks run in them.
    @usableFromInline let hasBarrierHooks = Atomic<Bool>(false)
    let timer = TrimTimer()

    /// The concurrent queue on which callback forms and their callbacks run, readable so that other work can be aimed at it.
    ///
    /// Synchronous calls never wait for it: they may be made from its blocks, and from any queue however busy the pool is.
    /// Never wait for this queue from a hook, which may run on it.
    public var queue: DispatchQueue { barrier.queue }

    /// Creates a cache.
    ///
    /// - Parameters:
    ///   - configuration: Limits and behaviour. A value that `validate()` refuses is taken as zero.
    ///   - hooks: Closures to call around changes.
    ///   - clock: The monotonic clock for ages and lives.
    ///   - label: The label of the queue, shown in crash reports.
    ///   - target: The queue that the cache's queue targets. May be serial.
    public convenience init(
        configuration: MemoryCacheConfiguration = MemoryCacheConfiguration(),
        hooks: Hooks = Hooks(),
        clock: CacheClock = .system,
        label: String = "larder.memory",
        target: DispatchQueue? = nil
    ) {
        self.init(
            configuration: configuration,
            hooks: hooks,
            clock: clock,
            label: label,
            target: target,
            hasher: KeyHash()
        )
    }

    /// Creates a cache that hashes the same way in every run, for replays whose numbers can be compared.
    ///
    /// Its secret words are no secret: not for keys that come from outside.
    package convenience init(repeatably configuration: MemoryCacheConfiguration) {
        self.init(
            configuration: configuration,
            hooks: Hooks(),
            clock: .system,
            label: "larder.replay",
            target: nil,
            hasher: KeyHash(first: 0x9A3D_6C51_07E8_42BF, second: 0x51C7_E20D_B94A_8363)
        )
    }

    private init(
        configuration: MemoryCacheConfiguration,
        hooks: Hooks,
        clock: CacheClock,
        label: String,
        target: DispatchQueue?,
        hasher: KeyHash
    ) {
        barrier = BarrierQueue(label: label, target: target)
        self.clock = clock
        self.hasher = hasher
        unsafe state = .allocate(capacity: 1)
        unsafe state.initialize(to: CacheState(configuration: configuration, now: clock.nanoseconds))
        unsafe state.pointee.hooks = hooks
        hasBarrierHooks.store(hooks.needsBarrier, ordering: .relaxed)
        MemoryPressure.register(self)
    }

    deinit {
        MemoryPressure.unregister(self)
        timer.cancel()
        unsafe state.deinitialize(count: 1)
        unsafe state.deallocate()
    }

    // MARK: Values

    /// The value under a key; `nil` when there is none or it has expired.
    ///
    /// Counts as an access: the entry becomes the most recently used. Beside other reads it does not wait. O(1), no
    /// allocation.
    ///
    /// - Parameter key: The key.
    /// - Returns: The value.
    @inlinable
    public func value(forKey key: Key) -> Value? {
        value(forKey: key, asTier: false)
    }

    /// The value under a key, for a caller or for the cache whose tier this one is: its hits can be told apart.
    ///
    /// Inlined with a constant, so that telling costs nothing.
    @inlinable
    @inline(__always)
    package func value(forKey key: Key, asTier isTier: Bool) -> Value? {
        let hash = hasher.hash(key)
        indexHint.prefetch(hash)
        let now = clock.nanoseconds
        return barrier.read { lane in
            barrier.lanes.withTally(lane) { tally in
                unsafe state.pointee.value(of: key, hash: hash, at: now, in: tally, asTier: isTier)
            }
        }
    }

    /// Stores a value under a key, in place of any other.
    ///
    /// Makes room first: when it returns, the limits hold and the value is there, unless it was refused. A value is refused
    /// when it alone is over the cost limit, when a limit is zero, or when its life is over at once; the old value under the
    /// key then goes all the same, so that it is never read in place of the new one. O(1) amortised, plus O(log n) for each
    /// entry that must leave.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: The key.
    ///   - cost: What the entry counts for against the cost limit, in any unit; below zero counts as zero.
    ///   - expiration: How long the entry lives from now, however often it is read; `nil` for ever. Zero or less: refused.
    @inlinable
    public func setValue(_ value: Value, forKey key: Key, cost: Int = 0, expiration: Duration? = nil) {
        store(IncomingValue(value: value, cost: cost, life: expiration), forKey: key, hash: hasher.hash(key))
    }

    /// Removes the value under a key.
    ///
    /// Removing what is not there calls no hook. O(1).
    ///
    /// - Parameter key: The key.
    /// - Returns: The value that was there, if it had not expired. `nil` also when called from inside a hook: the removal
    ///   then happens right after the barrier.
    @inlinable
    @discardableResult
    public func removeValue(forKey key: Key) -> Value? {
        remove(forKey: key, hash: hasher.hash(key), alongside: nil)
    }

    /// Whether a live entry stands under a key.
    ///
    /// Does not count as an access, nor as a hit or miss. O(1).
    ///
    /// - Parameter key: The key.
    /// - Returns: Whether `value(forKey:)` would return a value.
    @inlinable
    public func contains(_ key: Key) -> Bool {
        let hash = hasher.hash(key)
        indexHint.prefetch(hash)
        let now = clock.nanoseconds
        return barrier.read { _ in
            guard let slot = unsafe state.pointee.slot(of: key, hash: hash) else { return false }
            return unsafe state.pointee.isAlive(slot, at: now)
        }
    }

    /// The value under a key.
    ///
    /// Reading is `value(forKey:)`, assigning is `setValue`, assigning `nil` is `removeValue`.
    ///
    /// - Parameter key: The key.
    @inlinable
    public subscript(key: Key) -> Value? {
        get { value(forKey: key) }
        set {
            if let newValue { setValue(newValue, forKey: key) } else { removeValue(forKey: key) }
        }
    }

    /// Removes everything.
    ///
    /// Calls only the two remove-all hooks, none per entry. The values are released after the barrier, on this thread; O(1)
    /// inside the barrier, O(n) in all.
    public func removeAll() {
        removeAll(alongside: nil)
    }
}
