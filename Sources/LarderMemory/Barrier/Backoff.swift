internal import CProcessor
internal import Glibc

/// A bounded wait for a short exclusive section: spin, then give up the processor, then sleep ever longer.
///
/// Sleeping rather than yielding in the end lets a thread of lower priority, which may hold what is waited for, run.
struct Backoff {
    private var rounds = 0

    /// Whether spinning and yielding have had their share: time to wait in the queue instead.
    var isExhausted: Bool { rounds >= Self.spins + Self.yields }

    private static let spins = 16
    private static let yields = 48

    mutating func pause() {
        defer { rounds += 1 }
        if rounds < Self.spins {
            // A short busy stretch, doubling.
            for _ in 0..<(1 << min(rounds / 3, 4)) { larder_spin_hint() }
        } else if rounds < Self.spins + Self.yields {
            sched_yield()
        } else {
            let doublings = min(rounds - Self.spins - Self.yields, 6)
            var duration = timespec(tv_sec: 0, tv_nsec: 16_000 << doublings)
            unsafe nanosleep(&duration, nil)
        }
    }
}
