public import Synchronization

/// What the cache keeps about an entry beside its key and value.
///
/// Readers, under a lane, write the two atomic fields and read the rest; everything else changes on the exclusive side.
@usableFromInline
struct EntryRecord: ~Copyable {
    /// When the entry was last read or written: order and date in one word, see `AccessStamp`.
    @usableFromInline let stamp = Atomic<Int64>(0)

    /// Hits since the eviction order last looked, up to `maximumHits`.
    ///
    /// Counted only for the policies that ask.
    @usableFromInline let hits = Atomic<UInt8>(0)

    /// To which part of the eviction order the entry belongs; `EntryRecord.free` while the slot is empty.
    var segment: UInt8 = EntryRecord.free

    /// The full hash of the key, for the orders that remember keys or their frequency.
    var hash: UInt64 = 0

    /// When the entry expires by the life it was given; `Int64.max` for never.
    @usableFromInline var expiry: Int64 = .max

    /// When the value was written.
    ///
    /// May lie before the clock's origin for an entry promoted from disk.
    @usableFromInline var written: Int64 = 0

    @usableFromInline var cost = 0

    /// Where the eviction order keeps the entry: the stamp by which it is filed, or a pair of links, or the next free
    /// slot.
    var position: UInt64 = 0

    static let free = UInt8.max
    @usableFromInline static let maximumHits: UInt8 = 3

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

    var isFree: Bool { segment == Self.free }

    /// The neighbour nearer to the head of a `SlotList`, or `SlotList.none`.
    var previous: UInt32 {
        get { UInt32(truncatingIfNeeded: position) }
        set { position = position & 0xFFFF_FFFF_0000_0000 | UInt64(newValue) }
    }

    /// The neighbour nearer to the tail of a `SlotList`, or `SlotList.none`.
    var next: UInt32 {
        get { UInt32(truncatingIfNeeded: position >> 32) }
        set { position = position & 0x0000_0000_FFFF_FFFF | UInt64(newValue) << 32 }
    }
}
