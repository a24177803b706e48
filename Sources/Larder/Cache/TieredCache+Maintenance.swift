public import FoundationEssentials
internal import LarderMemory
public import LarderStore
internal import Synchronization

extension TieredCache {
    /// Removes memory entries in eviction order until their total cost is at most `cost`.
    ///
    /// The disk keeps them.
    ///
    /// - Parameter cost: The total cost to get down to.
    public func trim(toMemoryCost cost: Int) {
        memory.trim(toCost: cost)
    }

    /// Removes records from disk, the oldest unread first, until at most `bytes` are in use.
    ///
    /// Memory keeps its entries.
    ///
    /// Blocks until that is committed.
    ///
    /// - Parameter bytes: The bytes to get down to.
    public func trim(toDiskBytes bytes: ByteCount) {
        guard let disk, !isClosed else { return }
        attempt { () throws(StoreError) in try disk.store.trim(toBytes: bytes) }
    }

    /// Removes memory entries that were last used before a date.
    ///
    /// The disk keeps its records: it does not note when they are read.
    ///
    /// - Parameter date: The date by the wall clock.
    public func trim(unusedSince date: Date) {
        let elapsed = Date(timeIntervalSince1970: Double(wallClock.now.nanoseconds) / 1e9).timeIntervalSince(date)
        // Three centuries are beyond every clock, and a duration cannot hold whatever a date can.
        memory.trim(unusedSince: memory.now.advanced(by: .seconds(min(1e10, max(-1e10, -elapsed)))))
    }

    /// Removes from both tiers what has expired, without waiting for their timers.
    ///
    /// Blocks until the disk's part is committed.
    public func removeExpired() {
        memory.removeExpired()
        guard let disk, !isClosed else { return }
        attempt { () throws(StoreError) in try disk.store.removeExpired() }
    }

    /// Waits until every write made before is on disk, as durably as the configuration promises.
    ///
    /// Blocks this thread; in asynchronous code the other form is taken. Not to be called from a hook.
    ///
    /// - Throws: `CacheError` with code `.writeFailed` for the first write since the last flush that failed. Values that
    ///   were refused are not among them.
    public func flush() throws(CacheError) {
        guard let disk, !isClosed else { return }
        do {
            try disk.store.flush()
        } catch {
            throw CacheError(error.code == .closed ? .closed : .writeFailed, "disk: \(error.message)", cause: error)
        }
    }

    /// Waits until every write made before is on disk, as durably as the configuration promises.
    ///
    /// Suspends the task; cancelling it changes nothing.
    ///
    /// - Throws: `CacheError` with code `.writeFailed` for the first write since the last flush that failed. Values that
    ///   were refused are not among them.
    public func flush() async throws(CacheError) {
        guard let disk, !isClosed else { return }
        do {
            try await disk.store.flush()
        } catch {
            throw CacheError(error.code == .closed ? .closed : .writeFailed, "disk: \(error.message)", cause: error)
        }
    }

    /// Flushes, closes the disk tier and empties memory.
    ///
    /// Blocks this thread, no longer than the configuration's `disk.closeDeadline` and a little: in asynchronous code
    /// `flush()` first, which suspends, and little is left to wait for. Afterwards reads are misses, writes do nothing and
    /// `flush()` returns at once. Closing twice is the same as once. Not to be called from a hook or the error handler.
    ///
    /// - Throws: `CacheError` with code `.writeFailed` when a write since the last flush failed or could not be waited
    ///   for. The cache is closed all the same.
    public func close() throws(CacheError) {
        // Whatever enters the barrier after this finds the cache closed and leaves memory empty.
        if beginClosing() { memory.removeAll() }
        guard let disk else { return }
        // Not only for the first call: one from the error handler, which the disk refuses, is to be made up for elsewhere.
        do {
            try disk.store.close()
        } catch {
            throw CacheError(.writeFailed, "disk: \(error.message)", cause: error)
        }
    }

    /// What the cache has done and holds.
    ///
    /// Reads counters; touches neither entries nor the disk.
    public var statistics: TieredCacheStatistics {
        var statistics = TieredCacheStatistics()
        // Before those that they are among.
        statistics.memoryHits = memory.tierHits
        statistics.memory = memory.statistics
        statistics.diskHits = counters.diskHits.load(ordering: .relaxed)
        statistics.misses = counters.misses.load(ordering: .relaxed)
        statistics.promotions = counters.promotions.load(ordering: .relaxed)
        statistics.overtakenPromotions = counters.overtakenPromotions.load(ordering: .relaxed)
        statistics.failures = counters.failures.load(ordering: .relaxed)
        statistics.disk = disk?.store.statistics
        return statistics
    }

    /// Runs maintenance of the disk tier, whose failure is not the caller's.
    private func attempt(_ maintenance: () throws(StoreError) -> Void) {
        do {
            try maintenance()
        } catch {
            reporter.report(CacheError(.writeFailed, "disk: \(error.message)", cause: error), nil)
        }
    }
}
