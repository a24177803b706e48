/// Why an entry left the cache.
@nonexhaustive
public enum RemovalCause: Int, Sendable, Hashable, CaseIterable {
    /// A caller removed it: by key, or by one of the trims.
    case removed

    /// A new value was written under its key.
    case replaced

    /// The expiry given with the write has passed.
    case expired

    /// It had to leave to keep the total cost within the limit.
    case evictedByCost

    /// It had to leave to keep the number of entries within the limit.
    case evictedByCount

    /// It was older than the age limit.
    case evictedByAge

    /// It was unused for longer than the idle limit.
    case evictedByIdleness

    /// Memory pressure.
    case pressure

    /// Whether the cache, rather than a caller, decided that the entry leaves.
    public var wasEvicted: Bool {
        switch self {
        case .removed, .replaced: false
        case .expired, .evictedByCost, .evictedByCount, .evictedByAge, .evictedByIdleness, .pressure: true
        }
    }
}
