public import LarderMemory
public import LarderStore
internal import Synchronization

/// A cache in two tiers: memory in front of disk.
///
/// A read looks in memory, then on disk; what it finds on disk it takes up into memory with its original age, the rest of
/// its life and its cost. A write goes to memory at once and to disk behind the caller's back; every later read in this
/// process sees it. Without a `disk` in the configuration the cache lives in memory only.
///
/// The cache's own failures never become its caller's: a read that fails is a miss; a write that fails is counted, reported
/// to the error handler and to the next `flush()`, and its key is a miss on disk from then on, so that no older value is
/// ever read in its place. A value that is refused, because it cannot be encoded or is too large for the disk, is reported
/// to the error handler only, and stays in memory.
///
/// After `close()` reads are misses and writes do nothing. Let go of without `close()`, it commits what is queued and closes
/// its disk tier in the background.
///
/// The disk's directory is for one cache at a time: a second one in the same process is refused, for each would serve from
/// its memory what the other has replaced; so is one on a `Store` that is open already. Once that is closed or let go of,
/// another one can have it.
///
/// With `multiProcess` in the disk's configuration, several processes share the disk. Each read then looks whether another
/// process has committed, before it looks in memory; if so, memory is emptied first, so that nothing is served that another
/// process has replaced, and holds only what was written or read since. Without a read memory is emptied soon after the
/// commit. Hooks see that as the removal of everything.
///
/// Every call can be made from any thread, task or queue. Memory hits neither wait nor touch the disk. A disk read is
/// usually one from the page cache, and happens on the caller's thread.
public final class TieredCache<Key: StoreKey, Value: Sendable>: Sendable {
    /// What is told of failures that callers do not see: the error and the key, if it concerns one.
    public typealias ErrorHandler = @Sendable (CacheError, Key?) -> Void

    /// The memory tier, for its limits, hooks, trims and statistics.
    ///
    /// Lookups made here are counted here alone, and promote nothing. Values written here, past the facade, do not reach the
    /// disk.
    public let memory: MemoryCache<Key, Value>

    /// The configuration that the cache was made with.
    public let configuration: TieredCacheConfiguration

    @usableFromInline let disk: DiskTier<Key, Value>?
    /// Whether other processes may change what is on disk.
    @usableFromInline let sharesDisk: Bool
    /// The number of external changes that memory is known to have come after.
    let seenChanges = Atomic<UInt64>(0)
    /// Whether memory is about to be looked after without a read.
    let isLookQueued = Atomic<Bool>(false)
    @usableFromInline let generations = KeyGenerations()
    @usableFromInline let counters = FacadeCounters()
    @usableFromInline let reporter: FailureReporter<Key>
    @usableFromInline let wallClock: WallClock
    @usableFromInline let codec: ValueCodec<Value>
    @usableFromInline let costOf: (@Sendable (Value) -> Int)?

    /// Called between reading the disk and promoting, so that tests can put a change into the gap.
    @usableFromInline let beforePromotion: (@Sendable (Key) -> Void)?
    private let closed = Atomic<Bool>(false)

    /// Makes a cache and opens its disk tier.
    ///
    /// Touches the disk when there is a disk tier; the time does not depend on the number of records.
    ///
    /// - Parameters:
    ///   - configuration: Limits and behaviour of both tiers.
    ///   - codec: How values become bytes for the disk tier.
    ///   - costOf: What a value costs in memory when its write does not say; without it, the bytes of its encoded form.
    ///   - hooks: Closures to call around changes of the memory tier.
    ///   - onError: Told of failures that callers do not see. Called on whatever thread noticed, never inside a barrier.
    ///   - clock: The monotonic clock of the memory tier.
    ///   - wallClock: The clock that dates records on disk.
    /// - Throws: `CacheError` with code `.invalidConfiguration` or `.diskUnavailable`.
    public convenience init(
        configuration: TieredCacheConfiguration = TieredCacheConfiguration(),
        codec: ValueCodec<Value>,
        costOf: (@Sendable (Value) -> Int)? = nil,
        hooks: MemoryCache<Key, Value>.Hooks = .init(),
        onError: ErrorHandler? = nil,
        clock: CacheClock = .system,
        wallClock: WallClock = .system
    ) throws(CacheError) {
        try self.init(
            configuration: configuration,
            codec: codec,
            costOf: costOf,
            hooks: hooks,
            onError: onError,
            clock: clock,
            wallClock: wallClock,
            beforePromotion: nil
        )
    }

    init(
        configuration: TieredCacheConfiguration,
        codec: ValueCodec<Value>,
        costOf: (@Sendable (Value) -> Int)? = nil,
        hooks: MemoryCache<Key, Value>.Hooks = .init(),
        onError: ErrorHandler? = nil,
        clock: CacheClock = .system,
        wallClock: WallClock = .system,
        beforePromotion: (@Sendable (Key) -> Void)?,
        faults: StoreFaults = StoreFaults()
    ) throws(CacheError) {
        try configuration.validate()
        self.configuration = configuration
        self.codec = codec
        self.costOf = costOf
        self.wallClock = wallClock
        self.beforePromotion = beforePromotion
        sharesDisk = configuration.disk?.store.multiProcess ?? false
        let reporter = FailureReporter(counters: counters, onError: onError)
        self.reporter = reporter
        let relay = ChangeRelay()
        if let part = configuration.disk {
            disk = try DiskTier(
                part,
                codec: codec,
                clock: wallClock,
                reporter: reporter,
                faults: faults,
                onExternalChange: { relay.pass() }
            )
        } else {
            disk = nil
        }
        memory = MemoryCache(
            configuration: configuration.memory,
            hooks: hooks,
            clock: clock,
            label: configuration.name
        )
        if configuration.listensToPressureSignal { MemoryPressure.listen() }
        relay.lead(to: { [weak self] in self?.queueLook() })
    }

    /// Whether `close()` has begun.
    @usableFromInline var isClosed: Bool { closed.load(ordering: .acquiring) }

    /// Begins closing.
    ///
    /// - Returns: Whether this call is the first.
    func beginClosing() -> Bool {
        !closed.exchange(true, ordering: .acquiringAndReleasing)
    }
}
