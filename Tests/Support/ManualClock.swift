package import LarderStore
internal import Synchronization

/// A wall clock that moves only when told to.
package final class ManualClock: Sendable {
    private let nanoseconds: Atomic<Int64>

    /// Starts at some moment of the year 2025.
    package init() {
        nanoseconds = Atomic(1_750_000_000_000_000_000)
    }

    /// The clock to open a store with.
    package var clock: WallClock {
        WallClock { [self] in now }
    }

    package var now: WallTime {
        WallTime(nanoseconds: nanoseconds.load(ordering: .sequentiallyConsistent))
    }

    /// Moves the clock; a negative duration sets it back.
    package func advance(by duration: Duration) {
        let moved = now + duration
        nanoseconds.store(moved.nanoseconds, ordering: .sequentiallyConsistent)
    }
}
