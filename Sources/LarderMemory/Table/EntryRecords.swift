internal import Synchronization

/// The headers and records of all slots, without keys and values.
///
/// A reference to memory, passed around by value: the eviction orders work on it without knowing keys and values.
@usableFromInline
@safe
struct EntryRecords {
    // Safety: `records` points to `capacity` initialised records; `headers` to the first of `capacity` initialised headers,
    // `stride` bytes apart, in a block that the owner of the table keeps alive. No copy of this value outlives the call
    // that it was passed to.
    private let records: UnsafeMutablePointer<EntryRecord>
    private let headers: UnsafeMutableRawPointer
    private let stride: Int
    let capacity: Int

    /// Makes fresh records beside headers that stand in a block of the caller's.
    init(headers: UnsafeMutableRawPointer, stride: Int, capacity: Int) {
        unsafe self.headers = headers
        self.stride = stride
        self.capacity = capacity
        unsafe records = .allocate(capacity: capacity)
        unsafe records.initialize(repeating: EntryRecord(), count: capacity)
    }

    /// Larger records with the same content in front, beside headers that the caller has moved.
    ///
    /// This value must not be used any more.
    func grown(headers: UnsafeMutableRawPointer, capacity: Int) -> EntryRecords {
        let grown = unsafe EntryRecords(headers: headers, stride: stride, capacity: capacity)
        unsafe grown.records.update(from: records, count: self.capacity)
        deallocate()
        return grown
    }

    /// Gives the records back; the headers are their owner's.
    @usableFromInline
    func deallocate() {
        unsafe records.deallocate()
    }

    subscript(slot: Int) -> EntryRecord {
        _read { yield unsafe records[slot] }
        nonmutating _modify { yield unsafe &records[slot] }
    }

    /// The header of a slot.
    func header(_ slot: Int) -> UnsafeMutablePointer<EntryHeader> {
        unsafe (headers + slot &* stride).assumingMemoryBound(to: EntryHeader.self)
    }

    /// When the entry was last read or written.
    func stamp(_ slot: Int) -> Int64 {
        unsafe header(slot).pointee.stamp.load(ordering: .relaxed)
    }

    func setStamp(_ slot: Int, to stamp: Int64) {
        unsafe header(slot).pointee.stamp.store(stamp, ordering: .relaxed)
    }

    func cost(_ slot: Int) -> Int {
        unsafe header(slot).pointee.cost
    }

    /// Hits since the count was last set.
    func hits(_ slot: Int) -> UInt8 {
        unsafe header(slot).pointee.hits.load(ordering: .relaxed)
    }

    /// Counts what is to be taken as a hit, as a reader does.
    func countHit(_ slot: Int) {
        unsafe header(slot).pointee.countHit()
    }

    func setHits(_ slot: Int, to hits: UInt8) {
        unsafe header(slot).pointee.hits.store(hits, ordering: .relaxed)
    }
}
