extension TieredCacheConfiguration: Codable {
    /// Decodes the form that `load(from:environment:)` reads, and validates it.
    ///
    /// - Throws: `CacheError` that names the field, its value and the remedy.
    public init(from decoder: any Decoder) throws {
        self.init()
        try apply(ConfigurationNode(from: decoder), from: "configuration")
        try validate()
    }

    /// Encodes every field that has a value.
    public func encode(to encoder: any Encoder) throws {
        var root = ConfigurationNode.object([:])
        for field in Self.fields {
            guard let node = field.node(of: self) else { continue }
            root.set(field.path.split(separator: "."), to: node)
        }
        try root.encode(to: encoder)
    }
}
