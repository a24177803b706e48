/// What the eviction order keeps about an entry, and the index needs to remove it: not looked at by a hit.
struct EntryRecord: BitwiseCopyable {
    /// The full hash of the key, for the orders that remember keys or their frequency.
    var hash: UInt64 = 0

    /// Where the eviction order keeps the entry: the stamp by which it is filed, or a pair of links, or the next free slot.
    var position: UInt64 = 0

    /// To which part of the eviction order the entry belongs; `EntryRecord.free` while the slot is empty.
    var segment: UInt8 = EntryRecord.free

    static let free = UInt8.max

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
