/// What a memory cache has done and holds, at one moment.
public struct MemoryCacheStatistics: Sendable, Hashable {
    /// Lookups that found a live entry.
    public var hits: UInt64 = 0

    /// Lookups that found none.
    public var misses: UInt64 = 0

    /// Values written, replacements included.
    public var insertions: UInt64 = 0

    /// Values refused because they could not fit alone, or because a limit is zero or a life already over.
    public var refusals: UInt64 = 0

    /// Entries that left, by cause.
    ///
    /// `removeAll` counts each entry as `.removed`.
    public var removals: [RemovalCause: UInt64] = [:]

    /// Entries held now, expired ones that nothing has removed yet included.
    public var count = 0

    /// The total cost of the entries held now; clamped to `Int.max`.
    public var totalCost = 0

    /// Creates empty statistics.
    public init() {}

    /// The share of lookups that found a live entry; `nil` before the first lookup.
    public var hitRatio: Double? {
        let lookups = hits + misses
        return lookups == 0 ? nil : Double(hits) / Double(lookups)
    }

    /// Entries that the cache rather than a caller removed.
    public var evictions: UInt64 {
        removals.reduce(0) { $1.key.wasEvicted ? $0 + $1.value : $0 }
    }

    /// What happened since an earlier snapshot of the same cache.
    ///
    /// Entries and cost are those of this snapshot.
    ///
    /// - Parameter earlier: The earlier snapshot.
    /// - Returns: The differences of the counters.
    public func since(_ earlier: MemoryCacheStatistics) -> MemoryCacheStatistics {
        var result = self
        result.hits &-= earlier.hits
        result.misses &-= earlier.misses
        result.insertions &-= earlier.insertions
        result.refusals &-= earlier.refusals
        for (cause, number) in earlier.removals { result.removals[cause, default: 0] &-= number }
        result.removals = result.removals.filter { $0.value != 0 }
        return result
    }
}
