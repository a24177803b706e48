internal import Dispatch

extension MemoryCache {
    /// Removes every entry that was last read or written before an instant.
    ///
    /// One barrier; O(n).
    ///
    /// - Parameter instant: An instant of the cache's clock. Accesses are dated to within a few milliseconds.
    public func trim(unusedSince instant: CacheInstant) {
        trimAtLength { cache, leftovers in
            for slot in unsafe cache.state.pointee.table.slots(unusedSince: instant.nanoseconds) {
                leftovers.add(cache.removeInBarrier(slot, isFiled: true, cause: .removed))
            }
        }
    }

    /// Removes the costliest entries until the total cost is at most `cost`; of equal ones the least recently used first.
    ///
    /// One barrier; O(n log n).
    ///
    /// - Parameter cost: The total cost to get down to.
    public func trim(toCostByCost cost: Int) {
        trimAtLength { cache, leftovers in
            guard unsafe cache.state.pointee.table.totalCost > Int128(cost) else { return }
            for slot in unsafe cache.state.pointee.table.slotsByCost {
                guard unsafe cache.state.pointee.table.totalCost > Int128(cost) else { return }
                leftovers.add(cache.removeInBarrier(slot, isFiled: true, cause: .removed))
            }
        }
    }

    /// Removes entries in eviction order, for the default policy the least recently used first, until the total cost is
    /// at most `cost`.
    ///
    /// One barrier; O(log n) for each entry removed.
    ///
    /// - Parameter cost: The total cost to get down to.
    public func trim(toCost cost: Int) {
        trimAtLength { cache, leftovers in
            cache.evictInBarrier(toCost: Int128(cost), toCount: .max, cause: .removed, &leftovers)
        }
    }

    /// Removes entries in eviction order until at most `count` are left.
    ///
    /// One barrier; O(log n) for each entry removed.
    ///
    /// - Parameter count: The number of entries to get down to.
    public func trim(toCount count: Int) {
        trimAtLength { cache, leftovers in
            cache.evictInBarrier(toCost: .max, toCount: count, cause: .removed, &leftovers)
        }
    }

    /// Removes every entry whose life, age or idle time is over, without waiting for the timer.
    ///
    /// Work is split into barriers of bounded length, so that readers get in between; O(1) for each entry removed.
    public func removeExpired() {
        var isDone = false
        while !isDone {
            let leftovers = writeAtLength({ removeDeadInBarrier(&isDone) }) { { [self] in removeExpired() } }
            if leftovers == nil { return }
        }
    }

    // MARK: Inside the barrier

    /// Runs a trim as one barrier; the removed values are released after it.
    func trimAtLength(
        _ body: @escaping @Sendable (MemoryCache<Key, Value>, inout Leftovers<Key, Value>) -> Void
    ) {
        _ = writeAtLength({
            var leftovers = Leftovers<Key, Value>()
            body(self, &leftovers)
            return leftovers
        }) {
            { [self] in trimAtLength(body) }
        }
    }

    func evictInBarrier(
        toCost cost: Int128,
        toCount count: Int,
        cause: RemovalCause,
        _ leftovers: inout Leftovers<Key, Value>
    ) {
        while unsafe state.pointee.table.count > max(0, count) || state.pointee.table.totalCost > max(0, cost),
            let victim = unsafe state.pointee.table.popVictim(sparing: nil)
        {
            leftovers.add(removeInBarrier(victim, isFiled: false, cause: cause))
        }
    }

    /// Removes a bounded number of dead entries and sets the timer for the rest.
    func removeDeadInBarrier(_ isDone: inout Bool) -> Leftovers<Key, Value> {
        var leftovers = Leftovers<Key, Value>()
        let now = clock.nanoseconds
        var budget = Self.stepsPerBarrier
        for dead in unsafe state.pointee.table.takeDead(now: now, budget: &budget) {
            leftovers.add(removeInBarrier(dead.slot, isFiled: true, cause: dead.cause))
        }
        isDone = budget > 0
        armTimer(at: now)
        return leftovers
    }

    /// How many steps of the expiry wheel one barrier may take: well under a millisecond.
    private static var stepsPerBarrier: Int { 1024 }

    // MARK: The timer

    /// Sets the timer if what was just written is due sooner than what it is set for.
    @inlinable
    @inline(__always)
    func armTimerIfSooner(at now: Int64) {
        if unsafe state.pointee.table.earliestNewDue < state.pointee.table.timerDue { armTimer(at: now) }
    }

    /// Sets the timer for the next entry that will be due.
    @usableFromInline
    func armTimer(at now: Int64) {
        let due = unsafe state.pointee.table.earliestDue
        unsafe state.pointee.table.timerWasSet(for: due)
        guard let due else { return }
        timer.arm(due: due, now: now, queue: queue) { [weak self] in self?.timerFired() }
    }

    private func timerFired() {
        barrier.enqueueWrite(
            { [self] in
                timer.hasFired()
                var isDone = false
                let leftovers = removeDeadInBarrier(&isDone)
                // Released as an ordinary block of the queue: not inside the barrier.
                queue.async { _ = leftovers }
            },
            completion: nil
        )
    }
}
