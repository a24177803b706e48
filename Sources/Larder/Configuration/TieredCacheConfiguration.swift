public import LarderMemory
public import LarderStore

/// Everything that can be tuned about a `TieredCache`, in one value.
///
/// Build it in code, or load it from a JSON file with overrides from the environment; see `load(from:environment:)`. In
/// text form, durations are `"250ms"`, `"30s"`, `"5m"`, `"2h"`, `"7d"` or a number of seconds, and amounts of bytes are
/// `"384MiB"`, `"4GiB"` or a number of bytes.
public struct TieredCacheConfiguration: Sendable, Hashable {
    /// The name of the cache: the label of its queue, and its label in the Prometheus text.
    ///
    /// The default is `"larder"`.
    public var name: String

    /// The memory tier: limits, policy, response to memory pressure.
    ///
    /// The default limits the total cost to 64 MiB. Unless a write gives a cost, an entry costs the bytes of its encoded
    /// value, so the limit is one in bytes.
    public var memory: MemoryCacheConfiguration

    /// The disk tier.
    ///
    /// The default is `nil`: the cache lives in memory only.
    public var disk: Disk?

    /// How long an entry lives unless its write says otherwise.
    ///
    /// The default is `nil`: until it is evicted.
    public var expiration: Duration?

    /// Whether SIGUSR1 is taken over as a sign of critical memory pressure.
    ///
    /// The default is `false`, because the handler is the process's: see `MemoryPressure.listen(to:)`.
    public var listensToPressureSignal: Bool

    /// Where and how the disk tier keeps its records.
    public struct Disk: Sendable, Hashable {
        /// The directory, which is created when it is missing and belongs to the cache alone.
        public var directory: String

        /// Budget, durability, queue and the rest.
        public var store: StoreConfiguration

        /// Creates the configuration of a disk tier.
        ///
        /// - Parameters:
        ///   - directory: The directory that belongs to the cache.
        ///   - store: How the records are kept.
        public init(directory: String, store: StoreConfiguration = StoreConfiguration()) {
            self.directory = directory
            self.store = store
        }
    }

    /// Creates a configuration; each field has the default its own description gives.
    ///
    /// - Parameters:
    ///   - name: The name of the cache.
    ///   - memory: The memory tier.
    ///   - disk: The disk tier, or `nil` for none.
    ///   - expiration: How long an entry lives unless its write says otherwise.
    ///   - listensToPressureSignal: Whether SIGUSR1 is taken over.
    public init(
        name: String = "larder",
        memory: MemoryCacheConfiguration = MemoryCacheConfiguration(costLimit: 64 << 20),
        disk: Disk? = nil,
        expiration: Duration? = nil,
        listensToPressureSignal: Bool = false
    ) {
        self.name = name
        self.memory = memory
        self.disk = disk
        self.expiration = expiration
        self.listensToPressureSignal = listensToPressureSignal
    }

    /// Checks every field of every part.
    ///
    /// - Throws: `CacheError` with code `.invalidConfiguration` that names the field, the value and the remedy.
    public func validate() throws(CacheError) {
        guard !name.isEmpty else {
            throw CacheError(
                .invalidConfiguration,
                "name is empty: give the cache a name, it labels its queue and metrics"
            )
        }
        if let expiration, expiration <= .zero {
            throw CacheError(
                .invalidConfiguration,
                "expiration is \(DurationText.format(expiration)): it must be above zero; leave it out for no expiry"
            )
        }
        do {
            try memory.validate()
        } catch {
            throw CacheError(.invalidConfiguration, "memory.\(error.message)", cause: error)
        }
        guard let disk else { return }
        guard !disk.directory.isEmpty else {
            throw CacheError(.invalidConfiguration, "disk.directory is empty: name a directory for the cache alone")
        }
        do {
            try disk.store.validate()
        } catch {
            throw CacheError(.invalidConfiguration, "disk.\(error.message)", cause: error)
        }
    }

    /// Checks every field, and says in the error where the fields were read; an empty source says nothing.
    package func validate(from source: String) throws(CacheError) {
        do {
            try validate()
        } catch {
            throw CacheError(error.code, "\(source)\(source.isEmpty ? "" : ": ")\(error.message)", cause: error.cause)
        }
    }
}
