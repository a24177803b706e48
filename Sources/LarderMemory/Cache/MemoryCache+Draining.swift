internal import Dispatch

extension MemoryCache {
    /// Finishes all pending maintenance and everything queued before: callback forms with their callbacks, removals that
    /// are due, the release of values that left.
    ///
    /// Blocks until a thread of Dispatch's pool has run the callbacks: in blocks that may occupy the pool use `drained()`.
    /// From inside a hook, or a block of the cache's queue or of its target, where it would wait for itself, it only removes
    /// what has expired.
    public func drain() {
        barrier.waitForQueue()
        removeExpired()
        barrier.waitForQueue()
    }

    /// As `drain()`, suspending the task instead of blocking its thread.
    public func drained() async {
        await withCheckedContinuation { continuation in
            enqueueRemovalOfDead { [self] in
                barrier.whenQueueHasRun { continuation.resume() }
            }
        }
    }

    /// Runs calls of this cache that may take long on its queue, and suspends the task meanwhile.
    ///
    /// The asynchronous form of every operation: `await cache.onQueue { $0.removeAll() }`. The calls come after everything
    /// queued before. A hit needs no such form: it does not wait.
    ///
    /// - Parameter work: Makes the calls. Runs once, as an ordinary block of the cache's queue, also when the task was
    ///   cancelled.
    /// - Returns: What `work` returns.
    /// - Throws: What `work` throws.
    public func onQueue<R: Sendable, Failure: Error>(
        _ work: @escaping @Sendable (MemoryCache<Key, Value>) throws(Failure) -> R
    ) async throws(Failure) -> R {
        let result: Result<R, Failure> = await withCheckedContinuation { continuation in
            queue.async { [self] in
                continuation.resume(returning: Result { () throws(Failure) -> R in try work(self) })
            }
        }
        return try result.get()
    }
}
