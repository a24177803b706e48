public import LarderMemory
public import LarderStore

/// What a tiered cache has done and holds, at one moment.
///
/// Each lookup through the facade counts once: as a hit in the tier that answered, or as a miss. The tiers' own counters
/// count what reached them, so a disk hit is also a miss of the memory tier. A lookup made on `TieredCache.memory` itself is
/// one of the memory tier only, whether it hits or misses.
public struct TieredCacheStatistics: Sendable, Hashable {
    /// Lookups that the memory tier answered.
    public var memoryHits: UInt64 = 0

    /// Lookups that the disk tier answered.
    public var diskHits: UInt64 = 0

    /// Lookups that no tier answered.
    public var misses: UInt64 = 0

    /// Disk hits whose value memory took up.
    ///
    /// One that memory refuses, because its cost is above the limit, say, is among `memory.refusals`.
    public var promotions: UInt64 = 0

    /// Disk hits whose value was not taken up, because the key was written or removed meanwhile.
    public var overtakenPromotions: UInt64 = 0

    /// Failures of the disk tier that callers did not see: each was also reported to the error handler.
    public var failures: UInt64 = 0

    /// The memory tier's own counters.
    public var memory = MemoryCacheStatistics()

    /// The disk tier's own counters; `nil` without one.
    public var disk: StoreStatistics?

    /// Creates empty statistics.
    public init() {}

    /// The share of lookups through the facade that a tier answered; `nil` before the first one.
    public var hitRatio: Double? {
        let hits = memoryHits + diskHits
        return hits + misses == 0 ? nil : Double(hits) / Double(hits + misses)
    }

    /// What happened since an earlier snapshot of the same cache.
    ///
    /// Entries, bytes and the disk tier's counters are those of this snapshot.
    ///
    /// - Parameter earlier: The earlier snapshot.
    /// - Returns: The differences of the counters.
    public func since(_ earlier: TieredCacheStatistics) -> TieredCacheStatistics {
        var result = self
        result.memoryHits &-= earlier.memoryHits
        result.diskHits &-= earlier.diskHits
        result.misses &-= earlier.misses
        result.promotions &-= earlier.promotions
        result.overtakenPromotions &-= earlier.overtakenPromotions
        result.failures &-= earlier.failures
        result.memory = memory.since(earlier.memory)
        return result
    }
}
