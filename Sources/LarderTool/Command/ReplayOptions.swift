internal import LarderMemory

/// Which parts of the cache a replay goes through.
enum ReplayTier: String, CaseIterable {
    case memory
    case tiered
}

/// What an entry costs against the memory tier's limit.
enum CostRule: String, CaseIterable {
    /// One each: the limit is a number of entries.
    case unit

    /// The size that the trace records: the limit is a number of bytes.
    case size
}

/// What the memory tier may hold.
enum MemoryCapacity: Equatable {
    case entries(Int)
    case bytes(Int)
}

/// What the cache under replay is made from.
struct CacheSettings: Equatable {
    var tier = ReplayTier.memory

    /// `nil`: the configuration file's, or the default.
    var policy: EvictionPolicy?

    /// `nil` only with a configuration file, whose limits then stand.
    var capacity: MemoryCapacity?

    /// The disk tier's budget in bytes; `nil`: the configuration file's, or the default.
    var diskCapacity: Int?

    /// Where the disk tier lies; for a tiered replay without one, a temporary directory is filled in before the start.
    var directory: String?

    /// A JSON file with the cache's configuration, which the other fields override.
    var configurationPath: String?
}

/// Everything that `larder replay` was told.
struct ReplayOptions: Equatable {
    enum Trace: Equatable {
        case file(String)
        case standardInput
        case synthetic(seed: UInt64)
    }

    static let defaultEntries = 10_000
    static let defaultBytes = 128 << 20
    static let defaultSeed: UInt64 = 1

    /// Above this a stray digit would exhaust memory rather than measure anything.
    static let maximumValueSize = 1 << 30

    var trace = Trace.synthetic(seed: Self.defaultSeed)

    /// `nil`: decided by the file's name, then by its content.
    var format: TraceFormat?

    var cost = CostRule.unit
    var cache = CacheSettings()

    /// `nil`: the recorded size, within bounds.
    var valueSize: Int?

    /// `nil`: the whole trace.
    var limit: Int?

    var json = false
}
