internal import Dispatch

extension MemoryCache {
    /// Removes every entry that was last read or written before an instant.
    ///
    /// One barrier; O(n).
    ///
    /// - Parameter instant: An instant of the cache's clock. Accesses are dated to within a few milliseconds.
    public func trim(unusedSince instant: CacheInstant) {
        trimAtLength(Self.trimming(unusedSince: instant))
    }

    /// Removes the costliest entries until the total cost is at most `cost`; of equal ones the least recently used first.
    ///
    /// One barrier; O(n log n).
    ///
    /// - Parameter cost: The total cost to get down to.
    public func trim(toCostByCost cost: Int) {
        trimAtLength(Self.trimming(toCostByCost: cost))
    }

    /// Removes entries in eviction order, for the default policy the least recently used first, until the total cost is
    /// at most `cost`.
    ///
    /// One barrier; O(log n) for each entry removed.
    ///
    /// - Parameter cost: The total cost to get down to.
    public func trim(toCost cost: Int) {
        trimAtLength(Self.trimming(toCost: Int128(cost), toCount: .max))
    }

    /// Removes entries in eviction order until at most `count` are left.
    ///
    /// One barrier; O(log n) for each entry removed.
    ///
    /// - Parameter count: The number of entries to get down to.
    public func trim(toCount count: Int) {
        trimAtLength(Self.trimming(toCost: .max, toCount: count))
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

    /// The body of a trim: removes entries into the leftovers, which are released after the barrier.
    typealias Trim = @Sendable (MemoryCache<Key, Value>, inout Leftovers<Key, Value>) -> Void

    static func trimming(unusedSince instant: CacheInstant) -> Trim {
        { cache, leftovers in
            for slot in unsafe cache.state.pointee.table.slots(unusedSince: instant.nanoseconds) {
                leftovers.add(cache.removeInBarrier(slot, isFiled: true, cause: .removed))
            }
        }
    }

    static func trimming(toCostByCost cost: Int) -> Trim {
        { cache, leftovers in
            guard unsafe cache.state.pointee.table.totalCost > Int128(cost) else { return }
            for slot in unsafe cache.state.pointee.table.slotsByCost {
                guard unsafe cache.state.pointee.table.totalCost > Int128(cost) else { return }
                leftovers.add(cache.removeInBarrier(slot, isFiled: true, cause: .removed))
            }
        }
    }

    static func trimming(toCost cost: Int128, toCount count: Int) -> Trim {
        { $0.evictInBarrier(toCost: cost, toCount: count, cause: .removed, &$1) }
    }

    /// Runs a trim as one barrier.
    func trimAtLength(_ trim: @escaping Trim) {
        _ = writeAtLength({
            var leftovers = Leftovers<Key, Value>()
            trim(self, &leftovers)
            return leftovers
        }) {
            { [self] in trimAtLength(trim) }
        }
    }

    /// Queues a trim as one barrier, then `completion` as an ordinary block.
    func enqueueTrim(_ trim: @escaping Trim, completion: @escaping @Sendable () -> Void) {
        barrier.enqueueWrite({ [self] in
            var leftovers = Leftovers<Key, Value>()
            trim(self, &leftovers)
            return leftovers
        }) { _ in completion() }
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

    /// Removes all dead entries in barriers of bounded length, then calls `completion` as an ordinary block.
    func enqueueRemovalOfDead(hasTimerFired: Bool = false, completion: @escaping @Sendable () -> Void) {
        barrier.enqueueWrite({ [self] in
            if hasTimerFired { timer.hasFired() }
            var isDone = false
            let leftovers = removeDeadInBarrier(&isDone)
            return (leftovers, isDone)
        }) { [self] _, isDone in
            // In place, as this is a block of the queue: readers get in between, and whoever drains waits for one block.
            if !isDone { removeExpired() }
            completion()
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
        enqueueRemovalOfDead(hasTimerFired: true) {}
    }
}
