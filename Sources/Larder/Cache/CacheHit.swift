/// A value that a tier had, with where it was.
public struct CacheHit<Value> {
    /// The value.
    public let value: Value

    /// The one tier that answered.
    public let tier: CacheTiers

    @usableFromInline
    init(value: Value, tier: CacheTiers) {
        self.value = value
        self.tier = tier
    }
}

extension CacheHit: Sendable where Value: Sendable {}
