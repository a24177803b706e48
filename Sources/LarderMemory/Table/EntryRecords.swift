public import CProcessor
internal import Synchronization

/// The headers, details and records of all slots, without keys and values.
///
/// A reference to memory, passed around by value: the eviction orders work on it without knowing keys and values.
@usableFromInline
@safe
struct EntryRecords {
    // Safety: `records` and `details` point to as many initialised values as the block has slots. No copy of this value
    // outlives the call that it was passed to.
    private let records: UnsafeMutablePointer<EntryRecord>
    @usableFromInline let details: UnsafeMutablePointer<EntryDetails>
    private let block: SlotMemory

    var capacity: Int { block.capacity }

    /// Makes fresh records for the slots of a block.
    init(_ block: SlotMemory) {
        self.block = block
        unsafe records = TableMemory.allocate(repeating: EntryRecord(), count: block.capacity)
        unsafe details = TableMemory.allocate(repeating: EntryDetails(), count: block.capacity)
    }

    /// Larger records with the same content in front, for a block into which the caller has moved the slots.
    ///
    /// This value must not be used any more.
    func grown(for block: SlotMemory) -> EntryRecords {
        let grown = EntryRecords(block)
        unsafe grown.records.update(from: records, count: capacity)
        unsafe grown.details.update(from: details, count: capacity)
        deallocate()
        return grown
    }

    /// Gives the memory back; what lies in the block is its owner's.
    @usableFromInline
    func deallocate() {
        unsafe records.deallocate()
        unsafe details.deallocate()
    }

    /// The bytes that the table occupies beside the block.
    var bytes: Int {
        capacity * (MemoryLayout<EntryRecord>.stride + MemoryLayout<EntryDetails>.stride)
    }

    subscript(slot: Int) -> EntryRecord {
        _read { yield unsafe records[slot] }
        nonmutating _modify { yield unsafe &records[slot] }
    }

    /// The header of a slot.
    func header(_ slot: Int) -> UnsafeMutablePointer<EntryHeader> {
        unsafe block.header(slot)
    }

    /// The details of a slot.
    func details(_ slot: Int) -> UnsafeMutablePointer<EntryDetails> {
        unsafe details + slot
    }

    /// Asks for the details of a slot that is about to be written.
    @inlinable
    @inline(__always)
    func prefetchDetails(_ slot: Int) {
        // Safety: only the address is taken.
        unsafe larder_prefetch(UInt(bitPattern: details + slot))
    }

    /// When an entry was written, and when it expires by the life it was given.
    func dates(_ slot: Int) -> (written: Int64, expiry: Int64) {
        if let written = unsafe header(slot).pointee.end.endlessSince { return (written, .max) }
        let details = unsafe details(slot).pointee
        return (details.written, details.expiry)
    }

    func cost(_ slot: Int) -> Int {
        unsafe details(slot).pointee.cost
    }

    /// When the entry was last read or written.
    func stamp(_ slot: Int) -> Int64 {
        AccessStamp.withoutHits(word(slot))
    }

    /// Dates an entry; its hits stay.
    func setStamp(_ slot: Int, to stamp: Int64) {
        setWord(slot, to: stamp | AccessStamp.hits(word(slot)))
    }

    /// Hits since the count was last set.
    func hits(_ slot: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: AccessStamp.hits(word(slot)))
    }

    /// Counts what is to be taken as a hit, as a reader does.
    func countHit(_ slot: Int) {
        unsafe header(slot).pointee.touchAndCount(stamp(slot))
    }

    func setHits(_ slot: Int, to hits: UInt8) {
        setWord(slot, to: stamp(slot) | Int64(hits))
    }

    private func word(_ slot: Int) -> Int64 {
        unsafe header(slot).pointee.stamp.load(ordering: .relaxed)
    }

    private func setWord(_ slot: Int, to word: Int64) {
        unsafe header(slot).pointee.stamp.store(word, ordering: .relaxed)
    }
}
