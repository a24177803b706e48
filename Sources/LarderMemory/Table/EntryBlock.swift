/// The memory of all slots: for each a header, and behind it room for a key and a value.
///
/// Small pairs share one cache line with their header, so that a hit touches one line beside the index.
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

    /// From slot to slot: one cache line if that is enough, else as little as alignment allows.
    @inlinable
    @inline(__always)
    static var stride: Int {
        let size = pairOffset &+ MemoryLayout<Pair>.size
        if size <= 64 { return 64 }
        let mask = max(MemoryLayout<Pair>.alignment, MemoryLayout<EntryHeader>.alignment) &- 1
        return (size &+ mask) & ~mask
    }

    @inlinable
    init(capacity: Int) {
        self.capacity = capacity
        unsafe base = .allocate(
            byteCount: capacity &* Self.stride,
            alignment: max(64, MemoryLayout<Pair>.alignment)
        )
        unsafe Self.initializeHeaders(base, stride: Self.stride, count: capacity)
    }

    /// Frees the memory; the pairs must have been taken out.
    @inlinable
    deinit {
        unsafe base.deallocate()
    }

    @usableFromInline
    static func initializeHeaders(_ base: UnsafeMutableRawPointer, stride: Int, count: Int) {
        for slot in 0..<count {
            unsafe (base + slot &* stride).bindMemory(to: EntryHeader.self, capacity: 1).initialize(to: EntryHeader())
        }
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
        // Not `moveUpdate`, which leaves the atomic fields behind (Swift 6.3). The headers overwritten need no deinit.
        for slot in 0..<capacity { unsafe larger.header(slot).moveInitialize(from: header(slot), count: 1) }
        for slot in liveSlots { unsafe larger.pair(slot).moveInitialize(from: pair(slot), count: 1) }
    }

    @inlinable var bytes: Int { capacity &* Self.stride }
}
