internal import Glibc

/// A value with the end of its life, for the subjects that do not know of lives themselves.
struct Dated: Sendable {
    let value: Int

    /// In nanoseconds of the coarse monotonic clock, the cheapest that will do.
    let deadline: Int64

    @inline(__always)
    init(_ value: Int, life: Duration) {
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC_COARSE, &now)
        let (seconds, attoseconds) = life.components
        self.value = value
        deadline = (Int64(now.tv_sec) &+ seconds) &* 1_000_000_000 &+ Int64(now.tv_nsec) &+ attoseconds / 1_000_000_000
    }
}
