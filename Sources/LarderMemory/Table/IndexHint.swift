public import CProcessor
public import Synchronization

/// Where the index stands, for those outside the barrier: good for nothing but a prefetch.
///
/// A lookup that knows its hash asks for its index cell before it announces itself, so that the cell is on its way while the
/// lane is entered. The place may be out of date or the memory given back: a prefetch reads nothing and never faults.
@usableFromInline
struct IndexHint: ~Copyable {
    /// The address of the cells, and in its low six bits, which are zero there, the logarithm of their number.
    @usableFromInline let word = Atomic<UInt>(0)

    init() {}

    /// Asks for the cell at which the search for a hash begins.
    @inlinable
    @inline(__always)
    func prefetch(_ hash: UInt64) {
        let word = word.load(ordering: .relaxed)
        let mask = (1 as UInt) &<< (word & 63) &- 1
        larder_prefetch((word & ~63) &+ (UInt(truncatingIfNeeded: hash) & mask) &* 4)
    }

    /// Follows an index that has grown or was exchanged; called inside the barrier.
    @inlinable
    @inline(__always)
    func follow(_ index: borrowing SlotIndex) {
        let place = index.place
        // A store would take the line away from every reader.
        if word.load(ordering: .relaxed) != place { word.store(place, ordering: .relaxed) }
    }
}
