/// The limits and behaviour of a `Store`.
///
/// It has no form in files of its own: `TieredCacheConfiguration` of the product `Larder`, whose `disk` part it is, reads and
/// writes it.
public struct StoreConfiguration: Sendable, Hashable {
    /// How much space the records may take, in whole pages of the data file.
    ///
    /// The default is 1 GiB, the least is 1 MiB. Above it the oldest records leave, those read since they were written
    /// last.
    public var budget: ByteCount

    /// The share of the budget that eviction leaves in use, above 0 and up to 1.
    ///
    /// The default is 0.95.
    public var lowWater: Double

    /// The largest record, key and value together.
    ///
    /// The default is `nil`: a sixteenth of the budget, and 8 MiB at most.
    public var maxValueBytes: ByteCount?

    /// What `flush()` promises.
    ///
    /// The default is `.commit`.
    public var durability: Durability

    /// When checkpoints are made, with durability `.checkpointed`; not used otherwise.
    public var checkpoint: Checkpoint

    /// How writes are queued and committed.
    public var queue: Queue

    /// How long `close()` may take to commit what is queued and to wait for running reads.
    ///
    /// The default is 10 seconds. What is still queued then is dropped and counted.
    public var closeDeadline: Duration

    /// How often records that have expired are looked for, to give back their space.
    ///
    /// The default is 30 seconds; zero leaves it to eviction. Reads never return an expired record, whatever this is.
    public var expiryInterval: Duration

    /// The largest number of reads at one time; a read beyond it waits briefly, then is a miss.
    ///
    /// The default is `nil`: four a processor and at least 32.
    public var maxReaders: Int?

    /// How long a read may go on before `StoreEvents.onSlowRead` reports it.
    ///
    /// The default is 1 second; zero looks after none. A lookup takes microseconds and holds up nobody, but what is freed
    /// while one goes on, on a disk that hangs or a stopped processor, cannot be used again, and the file grows.
    public var slowReadAge: Duration

    /// Whether and how values are compressed before they are stored.
    ///
    /// The default is `nil`: they are not. Records say for themselves whether they are compressed, so that this can change
    /// at any time.
    public var compression: Compression?

    /// Whether other processes may have the store open at the same time, if they ask for the same.
    ///
    /// The default is `false`: the store belongs to one process, and a second one is refused. With `true`, every process
    /// writes through a writer of its own, one commit at a time; a read sees what any of them has committed, and its own
    /// process's queued writes over that. Of two processes that write one key, the one that commits last wins. Commits of
    /// others are noticed at the next read or write, and without one soon after, and reported to
    /// `StoreEvents.onExternalChange`.
    ///
    /// All must have the same `durability`, any but `.checkpointed`, whose checkpoints are one process's own; should have
    /// the same limits, because the smallest budget is what the records are evicted to; and must see the same process
    /// numbers: containers must share their PID namespace. Recency is each process's own. A process that is stopped in the
    /// middle of a commit holds up the commits of the others; one that is killed does not. The file is not compacted while
    /// it is shared. Damage that is met while it is shared is left to the next opening by a process alone with it, and what
    /// could not be removed is hidden only in the process that was to remove it, until that closes the store.
    public var multiProcess: Bool

    /// Compression with Zstandard, on the thread that writes a value and on the one that reads it.
    public struct Compression: Sendable, Hashable {
        /// The least size of an encoded value that is compressed.
        ///
        /// The default is 1 KiB. A value that would not become an eighth smaller is stored as it is.
        public var threshold: ByteCount

        /// How hard to try: 1 is the fastest, 19 the smallest.
        ///
        /// The default is 3.
        public var level: Int

        /// Creates the settings of compression.
        public init(threshold: ByteCount = .kibibytes(1), level: Int = 3) {
            self.threshold = threshold
            self.level = level
        }
    }

    /// The queue of writes in front of the one writer.
    public struct Queue: Sendable, Hashable {
        /// How many bytes of keys and values may wait.
        ///
        /// The default is 32 MiB. Each write counts for 256 bytes more, which is what it takes to wait.
        public var bytes: ByteCount

        /// What happens to a write when the queue is full.
        ///
        /// The default is `.wait`.
        public var overflow: QueueOverflow

        /// The largest number of writes in one commit.
        ///
        /// The default is 4096: each commit writes the part of the index it touches, and waits for the disk, once.
        public var maxBatchOperations: Int

        /// How many bytes of keys and values go into one commit; a single larger record still gets one.
        ///
        /// The default is 8 MiB.
        public var maxBatchBytes: ByteCount

        /// Creates the settings of a queue.
        public init(
            bytes: ByteCount = .mebibytes(32),
            overflow: QueueOverflow = .wait,
            maxBatchOperations: Int = 4096,
            maxBatchBytes: ByteCount = .mebibytes(8)
        ) {
            self.bytes = bytes
            self.overflow = overflow
            self.maxBatchOperations = maxBatchOperations
            self.maxBatchBytes = maxBatchBytes
        }
    }

    /// When everything committed so far is synced, with durability `.checkpointed`.
    ///
    /// Commits go on meanwhile. What comes first counts; a checkpoint that the disk is slow to take puts off the next one.
    public struct Checkpoint: Sendable, Hashable {
        /// How long after the first commit since the last checkpoint.
        ///
        /// The default is 1 second.
        public var interval: Duration

        /// After how many bytes written to the data file, roughly.
        ///
        /// The default is 16 MiB. Commits wait once four times as much has been written while one is being made. The file
        /// grows by about as much, because space freed since the last checkpoint cannot be used again before the next.
        public var bytes: ByteCount

        /// Creates the settings.
        public init(interval: Duration = .seconds(1), bytes: ByteCount = .mebibytes(16)) {
            self.interval = interval
            self.bytes = bytes
        }
    }

    /// Creates a configuration; each field has the default its own description gives.
    public init(
        budget: ByteCount = .gibibytes(1),
        lowWater: Double = 0.95,
        maxValueBytes: ByteCount? = nil,
        durability: Durability = .commit,
        checkpoint: Checkpoint = Checkpoint(),
        queue: Queue = Queue(),
        closeDeadline: Duration = .seconds(10),
        expiryInterval: Duration = .seconds(30),
        maxReaders: Int? = nil,
        slowReadAge: Duration = .seconds(1),
        compression: Compression? = nil,
        multiProcess: Bool = false
    ) {
        self.budget = budget
        self.lowWater = lowWater
        self.maxValueBytes = maxValueBytes
        self.durability = durability
        self.checkpoint = checkpoint
        self.queue = queue
        self.closeDeadline = closeDeadline
        self.expiryInterval = expiryInterval
        self.maxReaders = maxReaders
        self.slowReadAge = slowReadAge
        self.compression = compression
        self.multiProcess = multiProcess
    }

    /// The largest record in bytes, with the default worked out.
    package var effectiveMaxValueBytes: Int {
        maxValueBytes?.bytes ?? min(budget.bytes / 16, 8 << 20)
    }
}
