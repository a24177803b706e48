/// Access stamps: one word that orders accesses and dates them, a hybrid logical clock.
///
/// The upper bits are the time in nanoseconds with its low 16 bits cut off (a granule of 65 µs); within a granule the
/// word counts up, so no two accesses of one lane are equal. A lane continues from its own newest stamp or from the last
/// write's, whichever is newer, and a write takes a stamp above those of all lanes. Hence accesses of one thread, and any
/// two accesses with a write between them, are ordered exactly; two threads' reads between the same two writes, which
/// nothing in the cache orders, may stand either way.
@usableFromInline
enum AccessStamp {
    @usableFromInline static let granule: Int64 = 1 << 16

    /// The stamp of an access at `now` that comes after `previous`.
    @inlinable
    @inline(__always)
    static func next(after previous: Int64, at now: Int64) -> Int64 {
        max(previous &+ 1, now & ~(granule &- 1))
    }

    /// The time that a stamp stands for, at most a granule before the access.
    @inlinable
    @inline(__always)
    static func time(_ stamp: Int64) -> Int64 {
        stamp & ~(granule &- 1)
    }
}
