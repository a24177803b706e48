/// The memory of all slots: for each a header, and behind it room for a key and a value, with no gaps between the slots.
///
/// Padding slots to whole cache lines was slower: what a slot beside a line's end costs is less than what caches lose to
/// padding (measured with keys and values of 8, 16 and 24 bytes).
@usableFromInline
@safe
struct EntryBlock<Key: Hashable & Sendable, Value: Sendable>: ~Copyable {
    @usableFromInline
    struct Pair: Sendable {
        @usableFromInline var key: Key
        @usableFromInline var value: Value

        @inlinable
        init(key: Key, value: Value) {
            self.key = key
            self.value = value
        }
    }

    // Safety: `base` points to `capacity` slots, `stride` bytes apart, each with an initialised header. The pairs of the
    // table's live slots are initialised, no others: the owner sees to that.
    @usableFromInline let base: UnsafeMutableRawPointer
    @usableFromInline let capacity: Int

    /// Where the pair stands behind the header.
    @inlinable
    @inline(__always)
    static var pairOffset: Int {
        let mask = MemoryLayout<Pair>.alignment &- 1
        return (MemoryLayout<EntryHeader>.size &+ mask) & ~mask
    }

    /// From slot to slot: as little as alignment allows.
    @inlinable
    @inline(__always)
    static var stride: Int {
        let mask = max(MemoryLayout<Pair>.alignment, MemoryLayout<EntryHeader>.alignment) &- 1
        return (pairOffset &+ MemoryLayout<Pair>.size &+ mask) & ~mask
    }

    @inlinable
    init(capacity: Int) {
        self.capacity = capacity
        unsafe base = TableMemory.allocate(
            byteCount: capacity &* Self.stride,
            alignment: max(64, MemoryLayout<Pair>.alignment)
        )
        memory.initialize()
    }

    /// Frees the memory; the pairs must have been taken out.
    @inlinable
    deinit {
        unsafe base.deallocate()
    }

    /// What the table works with; good as long as this block is.
    @usableFromInline
    var memory: SlotMemory {
        unsafe SlotMemory(headers: base, stride: Self.stride, capacity: capacity)
    }

    @inlinable
    @inline(__always)
    func header(_ slot: Int) -> UnsafeMutablePointer<EntryHeader> {
        unsafe (base + slot &* Self.stride).assumingMemoryBound(to: EntryHeader.self)
    }

    @inlinable
    @inline(__always)
    func pair(_ slot: Int) -> UnsafeMutablePointer<Pair> {
        unsafe (base + (slot &* Self.stride &+ Self.pairOffset)).assumingMemoryBound(to: Pair.self)
    }

    /// Moves headers and live pairs over to a larger block; this one then holds no pair.
    @inlinable
    func move(to larger: borrowing EntryBlock, liveSlots: [Int]) {
        memory.move(to: larger.memory)
        for slot in liveSlots { unsafe larger.pair(slot).moveInitialize(from: pair(slot), count: 1) }
    }

    @inlinable var bytes: Int { capacity &* Self.stride }
}
