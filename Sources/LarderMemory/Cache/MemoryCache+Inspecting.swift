internal import Synchronization

extension MemoryCache {
    /// The number of entries, expired ones that the timer has not removed yet included.
    ///
    /// O(1).
    public var count: Int {
        barrier.read { _ in unsafe state.pointee.table.count }
    }

    /// The total cost of the entries, clamped to `Int.max`.
    ///
    /// O(1).
    public var totalCost: Int {
        barrier.read { _ in Int(clamping: unsafe state.pointee.table.totalCost) }
    }

    /// What the cache has done and holds.
    ///
    /// O(number of processors).
    public var statistics: MemoryCacheStatistics {
        barrier.read { _ in
            var statistics = MemoryCacheStatistics()
            for lane in barrier.lanes.indices {
                barrier.lanes.withTally(lane) { tally in
                    statistics.hits &+= tally.hits.load(ordering: .relaxed)
                    statistics.hits &+= tally.tierHits.load(ordering: .relaxed)
                    statistics.misses &+= tally.misses.load(ordering: .relaxed)
                }
            }
            unsafe state.pointee.add(to: &statistics)
            return statistics
        }
    }

    /// The hits of the cache whose tier this one is; among those of the statistics.
    package var tierHits: UInt64 {
        barrier.lanes.indices.reduce(0) { sum, lane in
            barrier.lanes.withTally(lane) { sum &+ $0.tierHits.load(ordering: .relaxed) }
        }
    }

    /// The present instant of the cache's clock, for `trim(unusedSince:)`.
    public var now: CacheInstant { clock.now }

    /// The keys of the live entries, in no particular order.
    ///
    /// Does not count as access. O(n).
    public var keys: [Key] {
        readAtLength { cache in unsafe cache.state.pointee.livePairs(at: cache.clock.nanoseconds).map { $0.key } }
    }

    /// The live entries from least to most recently used.
    ///
    /// Does not count as access. O(n log n).
    public var entriesByRecency: [(key: Key, value: Value)] {
        readAtLength { cache in
            unsafe cache.state.pointee.livePairs(
                at: cache.clock.nanoseconds,
                in: cache.state.pointee.table.slotsByRecency
            ).map { ($0.key, $0.value) }
        }
    }

    /// The bytes that the cache itself occupies, without what keys and values hold elsewhere.
    ///
    /// O(1).
    public var estimatedBytes: Int {
        barrier.read { _ in unsafe state.pointee.bytes }
    }

    /// Calls `body` with every live entry, inside one barrier: the cache does not change meanwhile.
    ///
    /// Does not count as access. `body` may read the cache; writes from it are carried out after the enumeration.
    ///
    /// - Parameter body: Called with each key and value, in no particular order.
    /// - Throws: `MemoryCacheError` with code `.calledInsideBarrier` when called from a hook or another enumeration, where
    ///   TMMemoryCache would deadlock; use `entriesByRecency` or the callback form there. Rethrows what `body` throws.
    public func forEach(_ body: (Key, Value) throws -> Void) throws {
        let result: Result<Void, any Error>? = barrier.writeAsBarrier {
            Result {
                for pair in unsafe state.pointee.livePairs(at: clock.nanoseconds) { try body(pair.key, pair.value) }
            }
        }
        guard let result else {
            throw MemoryCacheError(
                .calledInsideBarrier,
                "forEach was called from inside a hook or an enumeration of the same cache, where it would wait for "
                    + "itself: use the callback form, or read entriesByRecency"
            )
        }
        try result.get()
    }

    /// A read of many entries: through the queue, so that a writer that has to wait sleeps.
    private func readAtLength<R>(_ body: (MemoryCache<Key, Value>) -> R) -> R {
        barrier.readInQueueOrder { _ in body(self) }
    }
}
