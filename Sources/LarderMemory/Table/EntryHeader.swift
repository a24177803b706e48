public import Synchronization

/// What every hit and every replacement looks at, kept beside the key and the value, on one cache line with them if they
/// are small.
///
/// Readers, under a lane, write the two atomic fields and read the rest; everything else changes on the exclusive side.
@usableFromInline
struct EntryHeader: ~Copyable {
    /// When the entry was last read or written: order and date in one word, see `AccessStamp`.
    @usableFromInline let stamp = Atomic<Int64>(0)

    /// When the entry expires by the life it was given; `Int64.max` for never.
    @usableFromInline var expiry: Int64 = .max

    /// When the value was written.
    ///
    /// May lie before the clock's origin for an entry promoted from disk.
    @usableFromInline var written: Int64 = 0

    @usableFromInline var cost = 0

    /// Hits since the eviction order last looked, up to `maximumHits`.
    ///
    /// Counted only for the policies that ask.
    @usableFromInline let hits = Atomic<UInt8>(0)

    @usableFromInline static let maximumHits: UInt8 = 15

    init() {}

    /// Counts a hit up to the maximum.
    ///
    /// Two threads may count one hit between them: an order weighs, it does not add up.
    @inlinable
    @inline(__always)
    func countHit() {
        let count = hits.load(ordering: .relaxed)
        if count < Self.maximumHits { hits.store(count &+ 1, ordering: .relaxed) }
    }
}
