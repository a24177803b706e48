public import Synchronization

/// What a hit looks at, kept beside the key and the value: sixteen bytes, so that a slot of small numbers takes half a cache
/// line.
///
/// Readers, under a lane, write the stamp and read the end; everything else changes on the exclusive side.
@usableFromInline
struct EntryHeader: ~Copyable {
    /// When the entry was last read or written, and how often since the eviction order last looked; see `AccessStamp`.
    @usableFromInline let stamp = Atomic<Int64>(0)

    /// When the entry is dead however often it is read: by the life it was given or by the age limit, whichever comes first.
    @usableFromInline var end = EntryEnd(endlessSince: 0)

    init() {}

    /// Dates an access.
    @inlinable
    @inline(__always)
    func touch(_ stamp: Int64) {
        self.stamp.store(stamp, ordering: .relaxed)
    }

    /// Dates an access and counts it as a hit, up to the maximum.
    ///
    /// Two threads may count one hit between them: an order weighs, it does not add up.
    @inlinable
    @inline(__always)
    func touchAndCount(_ stamp: Int64) {
        let hits = AccessStamp.hits(self.stamp.load(ordering: .relaxed))
        self.stamp.store(stamp | min(hits &+ 1, AccessStamp.maximumHits), ordering: .relaxed)
    }
}
