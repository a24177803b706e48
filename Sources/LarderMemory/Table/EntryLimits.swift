/// The limits of a table in the form its code asks for them: the largest value of the type stands for none.
struct EntryLimits: Sendable, Hashable {
    var cost = Int.max
    var count = Int.max
    var age = Int64.max
    var idle = Int64.max

    /// Whether a cost limit is set: eviction orders then weigh entries by cost, else by one.
    ///
    /// A limit of `Int.max` is none: totals may go beyond it.
    var weighsByCost: Bool { cost != .max }

    /// What the eviction orders share out among their parts.
    var capacity: Int { weighsByCost ? cost : count }

    func weight(ofCost cost: Int) -> Int { weighsByCost ? cost : 1 }

    /// The limit that keeps an entry of this cost out altogether.
    func refusal(ofCost cost: Int) -> RemovalCause? {
        if count == 0 { return .evictedByCount }
        if self.cost == 0 || cost > self.cost { return .evictedByCost }
        if age <= 0 { return .evictedByAge }
        if idle <= 0 { return .evictedByIdleness }
        return nil
    }
}

extension EntryLimits {
    /// The limits of a configuration; negative ones, which `validate()` refuses, as zero.
    init(_ configuration: MemoryCacheConfiguration) {
        cost = configuration.costLimit.map { max(0, $0) } ?? .max
        count = configuration.countLimit.map { max(0, $0) } ?? .max
        age = configuration.ageLimit?.clampedNanoseconds ?? .max
        idle = configuration.idleLimit?.clampedNanoseconds ?? .max
    }
}
