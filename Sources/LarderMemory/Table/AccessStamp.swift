/// Access stamps: one word that orders accesses and dates them, a hybrid logical clock, with a count of hits beside.
///
///     bits 16–63  the time in nanoseconds, its low 16 bits cut off: a granule of 65 µs
///     bits 4–15   counts up within a granule, so that no two accesses of one lane are equal
///     bits 0–3    in an entry: its hits since the eviction order last looked, for the policies that ask; else zero
///
/// A lane continues from its own newest stamp or from the last write's, whichever is newer, and a write takes a stamp above
/// those of all lanes. Hence accesses of one thread, and any two accesses with a write between them, are ordered exactly;
/// two threads' reads between the same two writes, which nothing in the cache orders, may stand either way. A count that
/// runs over carries into the time, which catches up: 4,096 accesses take longer than a granule.
@usableFromInline
enum AccessStamp {
    // Computed: stored ones would be reached through a call from every client.
    @inlinable static var granule: Int64 { 1 << 16 }
    @inlinable static var step: Int64 { 1 << 4 }
    @inlinable static var maximumHits: Int64 { step - 1 }

    /// The stamp of an access at `now` that comes after `previous`.
    @inlinable
    @inline(__always)
    static func next(after previous: Int64, at now: Int64) -> Int64 {
        max(previous &+ step, now & ~(granule &- 1))
    }

    /// The time that a stamp stands for, at most a granule before the access.
    @inlinable
    @inline(__always)
    static func time(_ stamp: Int64) -> Int64 {
        stamp & ~(granule &- 1)
    }

    /// The count of hits in an entry's word.
    @inlinable
    @inline(__always)
    static func hits(_ word: Int64) -> Int64 {
        word & maximumHits
    }

    /// An entry's word without the count of hits.
    @inlinable
    @inline(__always)
    static func withoutHits(_ word: Int64) -> Int64 {
        word & ~maximumHits
    }
}
