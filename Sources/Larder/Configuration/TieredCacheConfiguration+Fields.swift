internal import LarderMemory
internal import LarderStore

extension TieredCacheConfiguration {
    /// Every field that a file or the environment can set: the one list behind loading, saving and messages.
    static let fields: [ConfigurationField] = [
        ConfigurationField("name", .text, \.name),
        ConfigurationField("expiration", optional: .duration, \.expiration),
        ConfigurationField("listensToPressureSignal", .flag, \.listensToPressureSignal),

        ConfigurationField("memory.costLimit", optional: .cost, \.memory.costLimit),
        ConfigurationField("memory.countLimit", optional: .integer, \.memory.countLimit),
        ConfigurationField("memory.ageLimit", optional: .duration, \.memory.ageLimit),
        ConfigurationField("memory.idleLimit", optional: .duration, \.memory.idleLimit),
        ConfigurationField("memory.policy", .choice("lru, fifo, clock, s3fifo or tinylfu"), \.memory.policy),
        ConfigurationField("memory.pressure.warning", .pressureAction, \.memory.pressureResponse.warning),
        ConfigurationField("memory.pressure.critical", .pressureAction, \.memory.pressureResponse.critical),
        ConfigurationField("memory.clearsOnBackground", .flag, \.memory.clearsOnBackground),

        ConfigurationField(disk: "directory", .text, \.directory),
        ConfigurationField(disk: "budget", .bytes, \.store.budget),
        ConfigurationField(disk: "lowWater", .fraction, \.store.lowWater),
        ConfigurationField(disk: "maxValueBytes", optional: .bytes, \.store.maxValueBytes),
        ConfigurationField(disk: "durability", .oneOf, \.store.durability),
        ConfigurationField(disk: "checkpoint.interval", .duration, \.store.checkpoint.interval),
        ConfigurationField(disk: "checkpoint.bytes", .bytes, \.store.checkpoint.bytes),
        ConfigurationField(disk: "closeDeadline", .duration, \.store.closeDeadline),
        ConfigurationField(disk: "expiryInterval", .duration, \.store.expiryInterval),
        ConfigurationField(disk: "maxReaders", optional: .integer, \.store.maxReaders),
        ConfigurationField(disk: "slowReadAge", .duration, \.store.slowReadAge),
        ConfigurationField(disk: "compression.threshold", optional: .bytes, \.store.compressionThreshold),
        ConfigurationField(disk: "compression.level", optional: .integer, \.store.compressionLevel),
        ConfigurationField(disk: "queue.bytes", .bytes, \.store.queue.bytes),
        ConfigurationField(disk: "queue.overflow", .oneOf, \.store.queue.overflow),
        ConfigurationField(disk: "queue.maxBatchOperations", .integer, \.store.queue.maxBatchOperations),
        ConfigurationField(disk: "queue.maxBatchBytes", .bytes, \.store.queue.maxBatchBytes),
    ]
}

extension StoreConfiguration {
    /// Setting either field of the compression turns it on, with the other's default; clearing either turns it off.
    fileprivate var compressionThreshold: ByteCount? {
        get { compression?.threshold }
        set {
            let level = compression?.level ?? Compression().level
            compression = newValue.map { Compression(threshold: $0, level: level) }
        }
    }

    fileprivate var compressionLevel: Int? {
        get { compression?.level }
        set {
            let threshold = compression?.threshold ?? Compression().threshold
            compression = newValue.map { Compression(threshold: threshold, level: $0) }
        }
    }
}
