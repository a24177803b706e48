public import Synchronization

// The bodies of writes. All run inside the barrier; hooks are called between short accesses to the state, never during
// one, because a hook may read the cache.
extension MemoryCache {
    /// Runs a write: in place when it can, through the queue when hooks run in it, right after the barrier when called
    /// from inside one.
    @inlinable
    @inline(__always)
    func write<R>(_ body: () -> R, postponed: () -> (@Sendable () -> Void)) -> R? {
        let result = hasBarrierHooks.load(ordering: .relaxed) ? barrier.writeAsBarrier(body) : barrier.write(body)
        if let result { return result }
        barrier.postpone(postponed())
        return nil
    }

    /// Runs a write that may take long: always through the queue, so that those who wait sleep.
    func writeAtLength<R>(_ body: () -> R, postponed: () -> (@Sendable () -> Void)) -> R? {
        if let result = barrier.writeAsBarrier(body) { return result }
        barrier.postpone(postponed())
        return nil
    }

    /// Stores a value if `admits` says so inside the barrier, and runs `alongside` there.
    ///
    /// - Parameters:
    ///   - incoming: The value with its cost, age and life.
    ///   - key: The key.
    ///   - hash: The key's hash by `hasher`.
    ///   - admits: Asked inside the barrier; `false` leaves the cache as it is.
    ///   - alongside: Run inside the barrier with the change, also when the value was refused. Must be short, must not
    ///     wait, must not call the cache.
    ///   - kept: Run as `alongside` is, but only when the value was not refused.
    @inlinable
    package func store(
        _ incoming: IncomingValue<Value>,
        forKey key: Key,
        hash: UInt64,
        admits: (@Sendable () -> Bool)? = nil,
        alongside: (@Sendable () -> Void)? = nil,
        kept: (@Sendable () -> Void)? = nil
    ) {
        indexHint.prefetch(hash)
        // The leftovers die here, after the barrier.
        _ = write({
            var leftovers = Leftovers<Key, Value>()
            if let admits, !admits() { return leftovers }
            let isKept = storeInBarrier(incoming, forKey: key, hash: hash, &leftovers)
            alongside?()
            if isKept { kept?() }
            return leftovers
        }) {
            { [self] in store(incoming, forKey: key, hash: hash, admits: admits, alongside: alongside, kept: kept) }
        }
    }

    /// Removes a value and runs `alongside` inside the barrier, also when there was none.
    @inlinable
    @discardableResult
    package func remove(forKey key: Key, hash: UInt64, alongside: (@Sendable () -> Void)?) -> Value? {
        let removed: Removed? = write({
            defer { alongside?() }
            return removeInBarrier(forKey: key, hash: hash)
        }) {
            { [self] in remove(forKey: key, hash: hash, alongside: alongside) }
        }
        return removed?.liveValue
    }

    /// Removes what stands under a key; the pair is for the caller to release after the barrier.
    @inlinable
    func removeInBarrier(forKey key: Key, hash: UInt64) -> Removed {
        guard let slot = unsafe state.pointee.slot(of: key, hash: hash) else {
            return Removed(pair: nil, isAlive: false)
        }
        let now = clock.nanoseconds
        let cause = unsafe state.pointee.table.cause(ofDeath: slot, at: now)
        let pair = removeInBarrier(slot, isFiled: true, cause: cause ?? .removed)
        return Removed(pair: pair, isAlive: cause == nil)
    }

    /// Stores a value; returns whether it is there, rather than refused.
    @inlinable
    @inline(__always)
    @discardableResult
    func storeInBarrier(
        _ incoming: IncomingValue<Value>,
        forKey key: Key,
        hash: UInt64,
        _ leftovers: inout Leftovers<Key, Value>
    ) -> Bool {
        let now = clock.nanoseconds
        let slot = unsafe state.pointee.slotToWrite(of: key, hash: hash)
        if let slot,
            let old = unsafe state.pointee.replacePlainly(slot, with: incoming, at: now, stamp: nextStamp(at: now))
        {
            leftovers.replaced = old
            return true
        }
        return storeInBarrier(incoming, forKey: key, hash: hash, over: slot, at: now, &leftovers)
    }

    /// Stores a value where there is more to do than to exchange it.
    @inlinable
    func storeInBarrier(
        _ incoming: IncomingValue<Value>,
        forKey key: Key,
        hash: UInt64,
        over occupied: Int?,
        at now: Int64,
        _ leftovers: inout Leftovers<Key, Value>
    ) -> Bool {
        var slot = occupied
        let entry = NewEntry(
            hash: hash,
            cost: incoming.cost,
            written: now &- incoming.age,
            expiry: now.addingSaturating(incoming.life),
            stamp: nextStamp(at: now)
        )
        // Where limits or lives are to be looked at and none of them stands in the way.
        if let slot, unsafe !state.pointee.hasHooks,
            unsafe state.pointee.table.replaceAtOnce(slot, with: entry, at: now)
        {
            leftovers.replaced = unsafe state.pointee.exchange(slot, for: incoming.value)
            armTimerIfSooner(at: now)
            return true
        }
        if let occupied = slot, let cause = unsafe state.pointee.table.cause(ofDeath: occupied, at: now) {
            leftovers.add(removeInBarrier(occupied, isFiled: true, cause: cause))
            slot = nil
        }
        if let cause = unsafe state.pointee.table.refusal(of: entry, at: now) {
            unsafe state.pointee.refusals += 1
            if let slot { leftovers.add(removeInBarrier(slot, isFiled: true, cause: cause)) }
            return false
        }
        makeRoomInBarrier(for: entry, replacing: slot, at: now, &leftovers)

        guard unsafe state.pointee.hasHooks else {
            if let slot {
                leftovers.replaced = unsafe state.pointee.replace(slot, with: incoming.value, as: entry)
            } else {
                insertInBarrier(Pair(key: key, value: incoming.value), as: entry)
            }
            armTimerIfSooner(at: now)
            return true
        }
        let hooks = unsafe state.pointee.hooks
        let old = slot.map { unsafe state.pointee.block.pair($0).pointee }
        if let old { hooks.willRemove?(self, old.key, old.value, .replaced) }
        hooks.willAdd?(self, key, incoming.value)
        if let slot {
            leftovers.replaced = unsafe state.pointee.replace(slot, with: incoming.value, as: entry)
        } else {
            insertInBarrier(Pair(key: key, value: incoming.value), as: entry)
        }
        armTimerIfSooner(at: now)
        if let old { hooks.didRemove?(self, old.key, old.value, .replaced) }
        hooks.didAdd?(self, key, incoming.value)
        return true
    }

    @inlinable
    func insertInBarrier(_ pair: Pair, as entry: NewEntry) {
        unsafe state.pointee.insert(pair, as: entry)
        unsafe indexHint.follow(state.pointee.table.index)
    }

    /// Lets entries leave until the new one fits: the dead first, then the policy's victims.
    @inlinable
    func makeRoomInBarrier(
        for entry: NewEntry,
        replacing slot: Int?,
        at now: Int64,
        _ leftovers: inout Leftovers<Key, Value>
    ) {
        if slot == nil { unsafe state.pointee.table.prepare(for: entry) }
        guard unsafe state.pointee.table.overflow(adding: entry, replacing: slot) != nil else { return }
        var budget = 16
        for dead in unsafe state.pointee.table.takeDead(now: now, budget: &budget) {
            leftovers.add(removeInBarrier(dead.slot, isFiled: true, cause: dead.cause))
        }
        while let cause = unsafe state.pointee.table.overflow(adding: entry, replacing: slot),
            let victim = unsafe state.pointee.table.popVictim(sparing: slot)
        {
            leftovers.add(removeInBarrier(victim, isFiled: false, cause: cause))
        }
    }

    /// Removes one entry, with its hooks.
    @inlinable
    func removeInBarrier(_ slot: Int, isFiled: Bool, cause: RemovalCause) -> Pair {
        guard unsafe state.pointee.hasHooks else {
            return unsafe state.pointee.remove(slot, isFiled: isFiled, cause: cause)
        }
        let hooks = unsafe state.pointee.hooks
        let pair = unsafe state.pointee.block.pair(slot).pointee
        hooks.willRemove?(self, pair.key, pair.value, cause)
        _ = unsafe state.pointee.remove(slot, isFiled: isFiled, cause: cause)
        hooks.didRemove?(self, pair.key, pair.value, cause)
        return pair
    }

    /// A stamp above every access so far: those in the lanes and those of writes.
    @inlinable
    @inline(__always)
    func nextStamp(at now: Int64) -> Int64 {
        let newest = max(unsafe state.pointee.table.lastStamp, barrier.lanes.newestStamp)
        return AccessStamp.next(after: newest, at: now)
    }

    /// Removes everything, if `admits` says so inside the barrier, and runs `alongside` there.
    package func removeAll(admits: (@Sendable () -> Bool)? = nil, alongside: (@Sendable () -> Void)?) {
        // The retired state dies here, after the barrier.
        _ = writeAtLength({ () -> RetiredState<Key, Value>? in
            if let admits, !admits() { return nil }
            return removeAllInBarrier(alongside: alongside)
        }) {
            { [self] in removeAll(admits: admits, alongside: alongside) }
        }
    }

    /// Runs `body` inside the barrier without changing anything here, for a change elsewhere that must keep its order.
    @inlinable
    package func inBarrier(_ body: @escaping @Sendable () -> Void) {
        _ = write(body) { { [self] in inBarrier(body) } }
    }

    /// Whether other callers wait for this one to return: it is called from a hook, say.
    @usableFromInline
    package var holdsUpOthers: Bool { barrier.holdsUpOthers(currentThreadToken()) }

    /// The hash that `store` and `remove` want.
    @inlinable
    package func hash(of key: Key) -> UInt64 {
        hasher.hash(key)
    }

    func removeAllInBarrier(alongside: (@Sendable () -> Void)?) -> RetiredState<Key, Value> {
        let hooks = unsafe state.pointee.hooks
        hooks.willRemoveAll?(self)
        let retired = unsafe state.pointee.takeAll(now: clock.nanoseconds)
        unsafe indexHint.follow(state.pointee.table.index)
        alongside?()
        hooks.didRemoveAll?(self)
        return retired
    }
}
