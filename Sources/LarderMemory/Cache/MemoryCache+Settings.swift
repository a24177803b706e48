internal import Synchronization

extension MemoryCache {
    /// The largest total cost; `nil` for no limit, zero to keep nothing.
    ///
    /// Lowering it trims before the assignment returns. A negative limit counts as zero.
    public var costLimit: Int? {
        get { configuration.costLimit }
        set { configure { $0.costLimit = newValue.map { max(0, $0) } } }
    }

    /// The largest number of entries; `nil` for no limit, zero to keep nothing.
    ///
    /// Lowering it trims before the assignment returns. A negative limit counts as zero.
    public var countLimit: Int? {
        get { configuration.countLimit }
        set { configure { $0.countLimit = newValue.map { max(0, $0) } } }
    }

    /// The longest life after the write; `nil` for no limit, zero to keep nothing.
    ///
    /// Lowering it removes what is too old before the assignment returns. A negative limit counts as zero.
    public var ageLimit: Duration? {
        get { configuration.ageLimit }
        set { configure { $0.ageLimit = newValue.map { max(.zero, $0) } } }
    }

    /// The longest life after the last access; `nil` for no limit, zero to keep nothing.
    ///
    /// Lowering it removes what is idle for too long before the assignment returns. A negative limit counts as zero.
    public var idleLimit: Duration? {
        get { configuration.idleLimit }
        set { configure { $0.idleLimit = newValue.map { max(.zero, $0) } } }
    }

    /// Which entry leaves first.
    ///
    /// Exchanging it keeps all entries; O(n log n).
    public var policy: EvictionPolicy {
        get { configuration.policy }
        set { configure { $0.policy = newValue } }
    }

    /// What memory pressure does.
    public var pressureResponse: PressureResponse {
        get { configuration.pressureResponse }
        set { configure { $0.pressureResponse = newValue } }
    }

    /// Whether `enterBackground()` removes everything.
    public var clearsOnBackground: Bool {
        get { configuration.clearsOnBackground }
        set { configure { $0.clearsOnBackground = newValue } }
    }

    /// The limits and behaviour in force.
    public var configuration: MemoryCacheConfiguration {
        barrier.read { _ in unsafe state.pointee.configuration }
    }

    /// The hooks in force.
    ///
    /// Those of a change that is under way are not exchanged.
    public var hooks: Hooks {
        get { barrier.read { _ in unsafe state.pointee.hooks } }
        set {
            // The old hooks are released after the barrier: a closure may hold values whose deinit calls the cache.
            _ = writeAtLength({
                let old = unsafe state.pointee.hooks
                unsafe state.pointee.hooks = newValue
                hasBarrierHooks.store(newValue.needsBarrier, ordering: .relaxed)
                return old
            }) {
                { [self] in hooks = newValue }
            }
        }
    }

    /// Changes several settings in one barrier, then trims to the new limits before it returns.
    ///
    /// - Parameter change: Changes the configuration. Runs inside the barrier; must not call the cache.
    public func configure(_ change: @escaping @Sendable (inout MemoryCacheConfiguration) -> Void) {
        trimAtLength { cache, leftovers in
            let now = cache.clock.nanoseconds
            var configuration = unsafe cache.state.pointee.configuration
            let old = configuration
            change(&configuration)
            unsafe cache.state.pointee.configuration = configuration
            if configuration.policy != old.policy {
                unsafe cache.state.pointee.table.exchangeOrder(for: configuration.policy.makeOrder())
            }
            let limits = EntryLimits(configuration)
            if unsafe limits != cache.state.pointee.table.limits {
                unsafe cache.state.pointee.table.limits = limits
                cache.trimToLimitsInBarrier(limits, at: now, &leftovers)
            }
        }
    }

    private func trimToLimitsInBarrier(_ limits: EntryLimits, at now: Int64, _ leftovers: inout Leftovers<Key, Value>) {
        var budget = Int.max
        for dead in unsafe state.pointee.table.takeDead(now: now, budget: &budget) {
            leftovers.add(removeInBarrier(dead.slot, isFiled: true, cause: dead.cause))
        }
        // Zero keeps nothing, not even what costs nothing.
        let count = limits.refusal(ofCost: 0) == nil ? limits.count : 0
        evictInBarrier(toCost: .max, toCount: count, cause: .evictedByCount, &leftovers)
        evictInBarrier(
            toCost: limits.weighsByCost ? Int128(limits.cost) : .max,
            toCount: .max,
            cause: .evictedByCost,
            &leftovers
        )
        timer.cancel()
        armTimer(at: now)
    }
}
