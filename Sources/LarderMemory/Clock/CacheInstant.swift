/// A point on a cache's monotonic clock.
///
/// Only instants of the same clock compare meaningfully.
public struct CacheInstant: InstantProtocol, Sendable, Hashable {
    /// Nanoseconds since the clock's origin.
    @usableFromInline let nanoseconds: Int64

    @inlinable
    init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// The instant that lies `duration` later; clamped to the range of the clock (292 years).
    public func advanced(by duration: Duration) -> CacheInstant {
        CacheInstant(nanoseconds: nanoseconds.addingSaturating(duration.clampedNanoseconds))
    }

    /// The time from this instant to `other`, negative when `other` is earlier.
    public func duration(to other: CacheInstant) -> Duration {
        .nanoseconds(other.nanoseconds) - .nanoseconds(nanoseconds)
    }

    /// Orders by time.
    public static func < (left: CacheInstant, right: CacheInstant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }
}

extension Duration {
    /// The duration in whole nanoseconds, rounded towards zero, clamped to the range of `Int64`.
    @usableFromInline
    var clampedNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        return whole.addingSaturating(attoseconds / 1_000_000_000)
    }
}

extension Int64 {
    /// The sum, clamped instead of trapping: limits and lives may be as long as their types allow.
    @inlinable
    func addingSaturating(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }
}
