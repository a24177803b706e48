internal import Larder
internal import LarderMemory
internal import LarderStore

/// The caches that a replay can go through: the one place where the tool touches the library.
enum CacheSubjects {
    /// Opens the cache that the settings describe; for the tier `.tiered` their `directory` is filled in.
    static func open(_ settings: CacheSettings) throws -> any ReplaySubject {
        let configuration = try configuration(settings)
        switch settings.tier {
        case .memory: return MemorySubject(configuration.memory)
        case .tiered: return try TieredSubject(configuration)
        }
    }

    /// The configuration file, or the defaults, with what the command line says on top.
    private static func configuration(_ settings: CacheSettings) throws -> TieredCacheConfiguration {
        var configuration = TieredCacheConfiguration()
        if let path = settings.configurationPath { configuration = try .load(from: path) }
        if let policy = settings.policy { configuration.memory.policy = policy }
        switch settings.capacity {
        case .entries(let count):
            configuration.memory.countLimit = count
            configuration.memory.costLimit = nil
        case .bytes(let bytes):
            configuration.memory.costLimit = bytes
            configuration.memory.countLimit = nil
        case nil: break
        }
        if settings.tier == .tiered { fillDisk(of: &configuration, from: settings) }
        try configuration.validate(from: source(of: settings))
        return configuration
    }

    private static func fillDisk(of configuration: inout TieredCacheConfiguration, from settings: CacheSettings) {
        if let directory = settings.directory {
            let store = configuration.disk?.store ?? StoreConfiguration()
            configuration.disk = TieredCacheConfiguration.Disk(directory: directory, store: store)
        }
        if let bytes = settings.diskCapacity { configuration.disk?.store.budget = .bytes(bytes) }
        configuration.listensToPressureSignal = true
    }

    /// Where the fields were read, as far as they can be at fault: the other options are checked when they are read.
    private static func source(of settings: CacheSettings) -> String {
        let file = settings.configurationPath.map { "configuration file \($0)" }
        let budget = settings.diskCapacity.map { "--disk-capacity \(ByteCount.bytes($0))" }
        return [file, budget].compactMap(\.self).joined(separator: " with ")
    }

    fileprivate static func describe(_ configuration: MemoryCacheConfiguration) -> CacheDescription {
        let limits = [
            configuration.countLimit.map { "\(NumberFormat.grouped($0)) entries" },
            configuration.costLimit.map { "cost \(NumberFormat.grouped($0))" },
        ]
        let text = limits.compactMap { $0 }.joined(separator: ", ")
        return CacheDescription(
            name: "memory (\(configuration.policy), \(text.isEmpty ? "no limit" : text))",
            policy: "\(configuration.policy)",
            countLimit: configuration.countLimit,
            costLimit: configuration.costLimit
        )
    }
}

/// The memory tier alone.
private struct MemorySubject: ReplaySubject {
    let cache: MemoryCache<Int64, [UInt8]>

    init(_ configuration: MemoryCacheConfiguration) {
        cache = MemoryCache(repeatably: configuration)
    }

    var cacheDescription: CacheDescription { CacheSubjects.describe(cache.configuration) }

    func lookup(_ key: Int64) -> ReplayHit? {
        cache.value(forKey: key).map { ReplayHit(value: $0, tier: .memory) }
    }

    func store(_ value: [UInt8], forKey key: Int64, cost: Int) {
        cache.setValue(value, forKey: key, cost: cost)
    }

    func settle() {}

    func counts() -> TierCounts {
        TierCounts(memoryEntries: cache.count, memoryCost: cache.totalCost)
    }

    func close() {
        cache.removeAll()
    }
}

/// Both tiers, through the facade.
private struct TieredSubject: ReplaySubject {
    let cache: TieredCache<Int64, [UInt8]>

    init(_ configuration: TieredCacheConfiguration) throws {
        cache = try TieredCache(configuration: configuration, codec: .bytes)
    }

    var cacheDescription: CacheDescription {
        var description = CacheSubjects.describe(cache.configuration.memory)
        let store = cache.configuration.disk?.store
        let disk = store.map { "\($0.budget), durability \($0.durability.rawValue)" } ?? "none"
        description.name += " before disk (\(disk))"
        description.tier = .tiered
        description.diskBudget = store?.budget.bytes
        description.durability = store?.durability.rawValue
        return description
    }

    func lookup(_ key: Int64) -> ReplayHit? {
        cache.hit(forKey: key).map { ReplayHit(value: $0.value, tier: $0.tier == .memory ? .memory : .disk) }
    }

    func store(_ value: [UInt8], forKey key: Int64, cost: Int) {
        cache.setValue(value, forKey: key, cost: cost)
    }

    func settle() throws {
        try cache.flush()
    }

    func counts() throws -> TierCounts {
        try cache.flush()
        let statistics = cache.statistics
        return TierCounts(
            memoryEntries: statistics.memory.count,
            memoryCost: statistics.memory.totalCost,
            diskEntries: statistics.disk?.entries ?? 0,
            diskBytes: statistics.disk?.usedBytes ?? 0
        )
    }

    func close() throws {
        try cache.close()
    }
}
