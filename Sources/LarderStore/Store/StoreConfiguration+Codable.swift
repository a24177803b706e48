extension StoreConfiguration: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case budget
        case lowWater
        case maxValueBytes
        case durability
        case checkpoint
        case queue
        case closeDeadline
        case expiryInterval
        case maxReaders
        case slowReadAge
        case compression
    }

    /// Reads the fields that are there; the others take their default.
    ///
    /// Throws a `DecodingError` for a field of the wrong type. Values are checked by `validate()`, not here.
    public init(from decoder: any Decoder) throws {
        self.init()
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        try fields.read(.budget, into: &budget)
        try fields.read(.lowWater, into: &lowWater)
        maxValueBytes = try fields.decodeIfPresent(ByteCount.self, forKey: .maxValueBytes)
        try fields.read(.durability, into: &durability)
        try fields.read(.checkpoint, into: &checkpoint)
        try fields.read(.queue, into: &queue)
        closeDeadline = try fields.decodeSecondsIfPresent(forKey: .closeDeadline) ?? closeDeadline
        expiryInterval = try fields.decodeSecondsIfPresent(forKey: .expiryInterval) ?? expiryInterval
        maxReaders = try fields.decodeIfPresent(Int.self, forKey: .maxReaders)
        slowReadAge = try fields.decodeSecondsIfPresent(forKey: .slowReadAge) ?? slowReadAge
        compression = try fields.decodeIfPresent(Compression.self, forKey: .compression)
    }

    /// Writes every field that is set.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(budget, forKey: .budget)
        try fields.encode(lowWater, forKey: .lowWater)
        try fields.encodeIfPresent(maxValueBytes, forKey: .maxValueBytes)
        try fields.encode(durability, forKey: .durability)
        try fields.encode(checkpoint, forKey: .checkpoint)
        try fields.encode(queue, forKey: .queue)
        try fields.encode(closeDeadline.inSeconds, forKey: .closeDeadline)
        try fields.encode(expiryInterval.inSeconds, forKey: .expiryInterval)
        try fields.encodeIfPresent(maxReaders, forKey: .maxReaders)
        try fields.encode(slowReadAge.inSeconds, forKey: .slowReadAge)
        try fields.encodeIfPresent(compression, forKey: .compression)
    }
}

extension StoreConfiguration.Compression: Codable {
    private enum CodingKeys: String, CodingKey {
        case threshold
        case level
    }

    /// Reads the fields that are there; the others take their default.
    public init(from decoder: any Decoder) throws {
        self.init()
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        try fields.read(.threshold, into: &threshold)
        try fields.read(.level, into: &level)
    }

    /// Writes both fields.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(threshold, forKey: .threshold)
        try fields.encode(level, forKey: .level)
    }
}

extension StoreConfiguration.Checkpoint: Codable {
    private enum CodingKeys: String, CodingKey {
        case interval
        case bytes
    }

    /// Reads the fields that are there; the others take their default.
    public init(from decoder: any Decoder) throws {
        self.init()
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        interval = try fields.decodeSecondsIfPresent(forKey: .interval) ?? interval
        try fields.read(.bytes, into: &bytes)
    }

    /// Writes every field.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(interval.inSeconds, forKey: .interval)
        try fields.encode(bytes, forKey: .bytes)
    }
}

extension StoreConfiguration.Queue: Codable {
    private enum CodingKeys: String, CodingKey {
        case bytes
        case overflow
        case maxBatchOperations
        case maxBatchBytes
    }

    /// Reads the fields that are there; the others take their default.
    public init(from decoder: any Decoder) throws {
        self.init()
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        try fields.read(.bytes, into: &bytes)
        try fields.read(.overflow, into: &overflow)
        try fields.read(.maxBatchOperations, into: &maxBatchOperations)
        try fields.read(.maxBatchBytes, into: &maxBatchBytes)
    }

    /// Writes every field.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(bytes, forKey: .bytes)
        try fields.encode(overflow, forKey: .overflow)
        try fields.encode(maxBatchOperations, forKey: .maxBatchOperations)
        try fields.encode(maxBatchBytes, forKey: .maxBatchBytes)
    }
}

extension KeyedDecodingContainer {
    fileprivate func read<Value: Decodable>(_ key: Key, into value: inout Value) throws {
        value = try decodeIfPresent(Value.self, forKey: key) ?? value
    }

    fileprivate func decodeSecondsIfPresent(forKey key: Key) throws -> Duration? {
        guard let seconds = try decodeIfPresent(Double.self, forKey: key) else { return nil }
        // Duration traps on a value that is not finite or out of range.
        guard seconds.isFinite, abs(seconds) < 1e12 else {
            throw DecodingError.dataCorruptedError(
                forKey: key,
                in: self,
                debugDescription: "\(seconds) is no number of seconds: write a finite one below 1e12"
            )
        }
        return .seconds(seconds)
    }
}

extension Duration {
    fileprivate var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
