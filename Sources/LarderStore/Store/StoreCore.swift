internal import LMDB
internal import Synchronization
internal import Threading

/// What the store's handle, its reads and its writer share.
@usableFromInline
final class StoreCore: Sendable {
    /// What the writer last committed, for counts and statistics.
    struct Published: Sendable {
        var ledger: Ledger
        var usedBytes = 0
        var allocatedBytes = 0
        var fileBytes = 0
        var mapBytes = 0
        /// Records that are hidden because their removal could not be committed.
        var hidden = 0
        /// Whether the last batch of writes had one that could not be committed.
        var isFailing = false
        var oldestReaderAge = Duration.zero
    }

    let path: String
    let configuration: StoreConfiguration
    @usableFromInline let clock: WallClock
    let events: StoreEvents
    let faults: StoreFaults
    let records: RecordStore
    let readers: ReaderPool
    let queue: WriteQueue
    let sketch: AccessSketch
    let counters = StoreCounters()
    let published: Lock<Published>
    let recovery: StoreRecovery?
    /// Only with `multiProcess`.
    let sharing: StoreSharing?
    /// Whether damaged files are moved away, rather than left with an error.
    let setsAside: Bool
    let damageReports = Lock(DamageReports())
    let forkGeneration = ForkGuard.generation
    let isClosing = Atomic(false)
    /// The writer's `pthread_t`, zero before it runs.
    let writerThread = Atomic<UInt64>(0)

    init(
        path: String,
        configuration: StoreConfiguration,
        clock: WallClock,
        events: StoreEvents,
        faults: StoreFaults,
        records: RecordStore,
        readers: ReaderPool,
        ledger: Ledger,
        snapshot: UInt64,
        recovery: StoreRecovery?,
        setsAside: Bool
    ) {
        self.path = path
        self.configuration = configuration
        self.clock = clock
        self.events = events
        self.faults = faults
        self.records = records
        self.readers = readers
        self.recovery = recovery
        self.setsAside = setsAside
        queue = WriteQueue(
            limit: configuration.queue.bytes.bytes,
            seed: records.seed,
            nextInstance: ledger.nextInstance,
            isShared: configuration.multiProcess
        )
        sketch = AccessSketch(budget: configuration.budget, records: ledger.entries)
        published = Lock(Published(ledger: ledger))
        sharing = configuration.multiProcess ? StoreSharing(seen: snapshot, published: published) : nil
    }

    /// Whether this is the process the store was opened in.
    ///
    /// In a forked child there is no writer, and locks may be held by threads that do not exist: nothing may be touched.
    var isUsable: Bool { ForkGuard.generation == forkGeneration }

    func require(usable action: String) throws(StoreError) {
        guard !isUsable else { return }
        throw StoreError(
            .closed,
            "The store at \(path) belongs to the parent process: a forked child must not use it to \(action)"
        )
    }
}
