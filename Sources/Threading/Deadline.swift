internal import Glibc

/// A point on the monotonic clock by which a wait must end, or never.
package struct Deadline: Sendable, Hashable {
    /// Nanoseconds of `CLOCK_MONOTONIC`; `nil` means no deadline.
    private let nanoseconds: UInt64?

    /// A wait without end.
    package static let never = Deadline(nanoseconds: nil)

    /// A wait that ends `duration` from now; a negative duration has ended already.
    package static func after(_ duration: Duration) -> Deadline {
        guard duration >= .zero else { return Deadline(nanoseconds: 0) }
        // Sums of durations may be longer than their own components can say.
        guard duration < .seconds(Int64.max) else { return .never }
        let (seconds, attoseconds) = duration.components
        let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return .never }
        let (end, pastEnd) = monotonicNanoseconds().addingReportingOverflow(whole + UInt64(attoseconds) / 1_000_000_000)
        return pastEnd ? .never : Deadline(nanoseconds: end)
    }

    /// The earlier of two.
    package static func earlier(_ first: Deadline, _ second: Deadline) -> Deadline {
        guard let nanoseconds = first.nanoseconds else { return second }
        guard let other = second.nanoseconds else { return first }
        return Deadline(nanoseconds: min(nanoseconds, other))
    }

    /// Whether the deadline lies in the past.
    package var hasPassed: Bool {
        guard let nanoseconds else { return false }
        return monotonicNanoseconds() >= nanoseconds
    }

    var timespec: timespec? {
        nanoseconds.map {
            Glibc.timespec(tv_sec: Int(clamping: $0 / 1_000_000_000), tv_nsec: Int($0 % 1_000_000_000))
        }
    }
}

/// Nanoseconds of the system's monotonic clock, at full resolution.
package func monotonicNanoseconds() -> UInt64 {
    var now = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &now)
    return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
}
