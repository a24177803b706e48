public import Glibc
public import Synchronization

/// The monotonic clock by which a memory cache ages and expires entries.
///
/// Wall-clock jumps do not touch it. Pass a `ManualClock` to move time by hand, in tests or simulations.
public struct CacheClock: Sendable {
    /// `nil` for the system's clock.
    ///
    /// Not an existential and not a closure: a hit reads the clock.
    @usableFromInline let manual: ManualClock?

    private init(manual: ManualClock?) {
        self.manual = manual
    }

    /// The system's coarse monotonic clock, which advances every few milliseconds and costs a few nanoseconds to read.
    public static let system = CacheClock(manual: nil)

    /// A clock that stands still until it is advanced.
    ///
    /// - Parameter clock: The clock to advance.
    /// - Returns: A clock for a cache.
    public static func manual(_ clock: ManualClock) -> CacheClock {
        CacheClock(manual: clock)
    }

    /// The present instant.
    public var now: CacheInstant { CacheInstant(nanoseconds: nanoseconds) }

    /// The last time that any clock shows, in nanoseconds: 109 years from its origin.
    ///
    /// What lies beyond is never reached; see `EntryEnd`.
    @inlinable static var limit: Int64 { 3 << 60 - 2 }

    /// The present in nanoseconds.
    @inlinable
    @inline(__always)
    var nanoseconds: Int64 {
        if let manual { return manual.elapsed.load(ordering: .relaxed) }
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}

/// A clock that stands still until it is advanced by hand.
public final class ManualClock: Sendable {
    @usableFromInline let elapsed = Atomic<Int64>(0)

    /// Creates a clock at its origin.
    public init() {}

    /// The present instant.
    public var now: CacheInstant { CacheInstant(nanoseconds: elapsed.load(ordering: .relaxed)) }

    /// Moves the clock on.
    ///
    /// It stops after 109 years: what lies beyond is never reached.
    ///
    /// - Parameter duration: How far; a negative duration is ignored, because a monotonic clock never goes back.
    public func advance(by duration: Duration) {
        let step = max(0, duration.clampedNanoseconds)
        var present = elapsed.load(ordering: .relaxed)
        while true {
            let (isExchanged, original) = elapsed.weakCompareExchange(
                expected: present,
                desired: min(present.addingSaturating(step), CacheClock.limit),
                ordering: .relaxed
            )
            if isExchanged { return }
            present = original
        }
    }
}
