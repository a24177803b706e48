internal import Glibc

/// A point in wall-clock time, to the nanosecond.
///
/// Records are stamped with it, because it goes on across restarts of the process and the machine. It can be stepped:
/// a record stamped in the future counts as written now.
public struct WallTime: Sendable, Hashable {
    /// Nanoseconds since the start of 1970, UTC; the range ends in the year 2262.
    public let nanoseconds: Int64

    /// Creates a point in time from nanoseconds since the start of 1970, UTC.
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// The end of time: a record that expires then never does.
    package static let never = WallTime(nanoseconds: .max)

    /// The point `duration` later; beyond the range, its end.
    public static func + (time: WallTime, duration: Duration) -> WallTime {
        let (sum, overflow) = time.nanoseconds.addingReportingOverflow(duration.clampedNanoseconds)
        guard overflow else { return WallTime(nanoseconds: sum) }
        return WallTime(nanoseconds: duration < .zero ? .min : .max)
    }

    /// The time from the second point to the first; negative if the first is earlier.
    public static func - (time: WallTime, other: WallTime) -> Duration {
        .nanoseconds(time.nanoseconds) - .nanoseconds(other.nanoseconds)
    }
}

extension WallTime: Comparable {
    /// Whether the first point is earlier.
    public static func < (first: WallTime, second: WallTime) -> Bool {
        first.nanoseconds < second.nanoseconds
    }
}

/// Where the store reads the time from.
public struct WallClock: Sendable {
    private let read: @Sendable () -> WallTime

    /// Creates a clock from a closure, for example one that a test moves by hand.
    ///
    /// The closure is called from any thread, also for each read of a record that expires; it must be quick and must not
    /// call the store.
    public init(_ read: @escaping @Sendable () -> WallTime) {
        self.read = read
    }

    /// The time now.
    public var now: WallTime { read() }

    /// The system's clock.
    public static let system = WallClock {
        var now = timespec()
        // Coarse is enough for a time to live, and five times as fast.
        unsafe clock_gettime(CLOCK_REALTIME_COARSE, &now)
        return WallTime(nanoseconds: Int64(now.tv_sec) &* 1_000_000_000 &+ Int64(now.tv_nsec))
    }
}

extension Duration {
    /// The duration in nanoseconds, or the end of the range it lies beyond.
    var clampedNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        let (sum, pastEnd) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        return pastEnd ? (seconds < 0 ? .min : .max) : sum
    }
}
