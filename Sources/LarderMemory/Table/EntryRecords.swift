internal import Synchronization

/// The records of all slots, in one block.
///
/// A reference to the block, passed around by value: the eviction orders work on it without knowing keys and values.
@usableFromInline
@safe
struct EntryRecords {
    // Safety: points to `capacity` initialised records from `allocate` until `deallocate`, which the owning table calls
    // when it grows or ends; no copy of this value outlives the call that it was passed to.
    @usableFromInline let base: UnsafeMutablePointer<EntryRecord>
    let capacity: Int

    static func allocate(capacity: Int) -> EntryRecords {
        let base = UnsafeMutablePointer<EntryRecord>.allocate(capacity: capacity)
        for slot in 0..<capacity { unsafe (base + slot).initialize(to: EntryRecord()) }
        return unsafe EntryRecords(base: base, capacity: capacity)
    }

    private init(base: UnsafeMutablePointer<EntryRecord>, capacity: Int) {
        unsafe self.base = unsafe base
        self.capacity = capacity
    }

    /// A larger block with the same records in front.
    ///
    /// This one must not be used any more.
    func grown(to capacity: Int) -> EntryRecords {
        let base = UnsafeMutablePointer<EntryRecord>.allocate(capacity: capacity)
        unsafe base.moveInitialize(from: self.base, count: self.capacity)
        for slot in self.capacity..<capacity { unsafe (base + slot).initialize(to: EntryRecord()) }
        unsafe self.base.deallocate()
        return unsafe EntryRecords(base: base, capacity: capacity)
    }

    @usableFromInline
    func deallocate() {
        unsafe base.deinitialize(count: capacity)
        unsafe base.deallocate()
    }

    @usableFromInline
    subscript(slot: Int) -> EntryRecord {
        @inlinable @inline(__always) _read { yield unsafe base[slot] }
        @inlinable @inline(__always) nonmutating _modify { yield unsafe &base[slot] }
    }

    /// When the entry was last read or written.
    func stamp(_ slot: Int) -> Int64 {
        self[slot].stamp.load(ordering: .relaxed)
    }

    /// Hits since the count was last set.
    func hits(_ slot: Int) -> UInt8 {
        self[slot].hits.load(ordering: .relaxed)
    }

    func setHits(_ slot: Int, to hits: UInt8) {
        self[slot].hits.store(hits, ordering: .relaxed)
    }
}
