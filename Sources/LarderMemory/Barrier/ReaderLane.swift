public import Synchronization

/// One announcement board of the reader fast lane, alone on its cache lines.
///
/// A thread that holds the lane (its token stands in `announced`) owns the tally: it alone writes there, with plain
/// relaxed loads and stores. Others may read the tally at any time and see values that are a moment old.
@usableFromInline
struct ReaderLane: ~Copyable {
    /// The token of the thread that reads in this lane; zero while the lane is free.
    @usableFromInline let announced = Atomic<UInt>(0)

    /// What the owner's accesses have added up to.
    @usableFromInline let tally = LaneTally()

    /// Fills two cache lines: adjacent-line prefetch would make a pair of lanes on one 128-byte block share traffic.
    private let padding: InlineArray<11, UInt64> = .init(repeating: 0)

    init() {}
}

/// The counts that accesses leave behind in a lane instead of in one contended place.
@usableFromInline
struct LaneTally: ~Copyable {
    /// The newest access stamp given out in this lane.
    @usableFromInline let stamp = Atomic<Int64>(0)

    /// Lookups that found a live entry, but for those that `tierHits` counts.
    @usableFromInline let hits = Atomic<UInt64>(0)

    /// Lookups of the cache whose tier this one is that found a live entry.
    ///
    /// Apart, because the caller of such a lookup has no counter of its own that costs a hit as little.
    @usableFromInline let tierHits = Atomic<UInt64>(0)

    /// Lookups that found none.
    @usableFromInline let misses = Atomic<UInt64>(0)

    init() {}

    /// Adds one without a locked instruction, which is enough because the lane has one owner.
    @inlinable
    static func increment(_ counter: borrowing Atomic<UInt64>) {
        counter.store(counter.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    }
}
