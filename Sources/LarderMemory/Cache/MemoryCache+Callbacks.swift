// The callback forms. Each returns at once. Its work is queued behind everything queued before it; a later synchronous call
// of the same thread comes after it. Each callback runs exactly once, as an ordinary block of the cache's queue, where it
// may call the cache; the pending call keeps the cache alive until then.
extension MemoryCache {
    /// Called with the cache, the key and its value; `nil` when there is or was none.
    public typealias ValueCallback = @Sendable (MemoryCache<Key, Value>, Key, Value?) -> Void

    /// Called with the cache when the work is done.
    public typealias CacheCallback = @Sendable (MemoryCache<Key, Value>) -> Void

    /// Looks a value up after everything queued before, beside other reads.
    ///
    /// Does not block. Counts as an access.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - completion: Called with the value, or with `nil` when there is none or it has expired.
    public func value(forKey key: Key, completion: @escaping ValueCallback) {
        let hash = hasher.hash(key)
        barrier.enqueueRead({ [self] lane in
            barrier.lanes.withTally(lane) { tally in
                unsafe state.pointee.value(of: key, hash: hash, at: clock.nanoseconds, in: tally)
            }
        }) { [self] value in completion(self, key, value) }
    }

    /// Stores a value under a key after everything queued before.
    ///
    /// Does not block. What is said of the synchronous `setValue` holds when `completion` is called. An expiration counts
    /// from the moment the value is stored.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: The key.
    ///   - cost: What the entry counts for against the cost limit; below zero counts as zero.
    ///   - expiration: How long the entry lives; `nil` for ever. Zero or less: refused.
    ///   - completion: Called with the value that was given, also when it was refused. May be `nil`.
    public func setValue(
        _ value: Value,
        forKey key: Key,
        cost: Int = 0,
        expiration: Duration? = nil,
        completion: ValueCallback?
    ) {
        let hash = hasher.hash(key)
        let incoming = IncomingValue(value: value, cost: cost, life: expiration)
        barrier.enqueueWrite({ [self] in
            var leftovers = Leftovers<Key, Value>()
            storeInBarrier(incoming, forKey: key, hash: hash, &leftovers)
            return leftovers
        }) { [self] _ in completion?(self, key, incoming.value) }
    }

    /// Removes the value under a key after everything queued before.
    ///
    /// Does not block. Removing what is not there calls no hook, but the callback.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - completion: Called with the value that was removed, or with `nil` when there was none or it had expired. May be
    ///     `nil`.
    public func removeValue(forKey key: Key, completion: ValueCallback?) {
        let hash = hasher.hash(key)
        barrier.enqueueWrite({ [self] in removeInBarrier(forKey: key, hash: hash) }) { [self] removed in
            completion?(self, key, removed.liveValue)
        }
    }

    /// Removes everything after everything queued before.
    ///
    /// Does not block. Calls only the two remove-all hooks. The values are released on the cache's queue, outside the
    /// barrier, when the callback has returned.
    ///
    /// - Parameter completion: Called when the cache is empty. May be `nil`.
    public func removeAll(completion: CacheCallback?) {
        barrier.enqueueWrite({ [self] in removeAllInBarrier(alongside: nil) }) { [self] _ in completion?(self) }
    }

    /// Removes every entry that was last read or written before an instant, after everything queued before.
    ///
    /// Does not block.
    ///
    /// - Parameters:
    ///   - instant: An instant of the cache's clock.
    ///   - completion: Called when they are gone. May be `nil`.
    public func trim(unusedSince instant: CacheInstant, completion: CacheCallback?) {
        enqueueTrim(Self.trimming(unusedSince: instant)) { [self] in completion?(self) }
    }

    /// Removes the costliest entries until the total cost is at most `cost`, after everything queued before.
    ///
    /// Does not block. Of equally costly entries the least recently used go first.
    ///
    /// - Parameters:
    ///   - cost: The total cost to get down to.
    ///   - completion: Called when they are gone. May be `nil`.
    public func trim(toCostByCost cost: Int, completion: CacheCallback?) {
        enqueueTrim(Self.trimming(toCostByCost: cost)) { [self] in completion?(self) }
    }

    /// Removes entries in eviction order until the total cost is at most `cost`, after everything queued before.
    ///
    /// Does not block.
    ///
    /// - Parameters:
    ///   - cost: The total cost to get down to.
    ///   - completion: Called when they are gone. May be `nil`.
    public func trim(toCost cost: Int, completion: CacheCallback?) {
        enqueueTrim(Self.trimming(toCost: Int128(cost), toCount: .max)) { [self] in completion?(self) }
    }

    /// Removes entries in eviction order until at most `count` are left, after everything queued before.
    ///
    /// Does not block.
    ///
    /// - Parameters:
    ///   - count: The number of entries to get down to.
    ///   - completion: Called when they are gone. May be `nil`.
    public func trim(toCount count: Int, completion: CacheCallback?) {
        enqueueTrim(Self.trimming(toCost: .max, toCount: count)) { [self] in completion?(self) }
    }

    /// Removes every entry whose life, age or idle time is over, after everything queued before.
    ///
    /// Does not block. Work is split into barriers of bounded length.
    ///
    /// - Parameter completion: Called when they are gone. May be `nil`.
    public func removeExpired(completion: CacheCallback?) {
        enqueueRemovalOfDead { [self] in completion?(self) }
    }

    /// Calls `body` with every live entry inside one barrier, after everything queued before.
    ///
    /// Does not block, and so may be called from hooks. Does not count as access. `body` may read the cache; writes from it
    /// are carried out right after the barrier.
    ///
    /// - Parameters:
    ///   - body: Called with each key and value, in no particular order.
    ///   - completion: Called after the last entry, outside the barrier. May be `nil`.
    public func forEach(_ body: @escaping @Sendable (Key, Value) -> Void, completion: CacheCallback?) {
        barrier.enqueueWrite({ [self] in
            for pair in unsafe state.pointee.livePairs(at: clock.nanoseconds) { body(pair.key, pair.value) }
        }) { [self] in completion?(self) }
    }
}
