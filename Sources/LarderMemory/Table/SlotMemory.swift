/// Where the headers of a block's slots stand: what the table needs to know of a block whose keys and values it does not
/// know.
@usableFromInline
@safe
struct SlotMemory {
    // Safety: `headers` points to the first of `capacity` initialised headers, `stride` bytes apart. The owner of the block
    // keeps it alive as long as a table works with it.
    private let headers: UnsafeMutableRawPointer
    private let stride: Int
    let capacity: Int

    @usableFromInline
    init(headers: UnsafeMutableRawPointer, stride: Int, capacity: Int) {
        unsafe self.headers = unsafe headers
        self.stride = stride
        self.capacity = capacity
    }

    /// Makes every header fresh.
    @usableFromInline
    func initialize() {
        for slot in 0..<capacity {
            unsafe (headers + slot &* stride).bindMemory(to: EntryHeader.self, capacity: 1).initialize(
                to: EntryHeader()
            )
        }
    }

    /// Carries the headers over to the first slots of larger memory.
    @usableFromInline
    func move(to larger: SlotMemory) {
        // Not `moveUpdate`, which leaves the atomic fields behind (Swift 6.3). The headers overwritten need no deinit.
        for slot in 0..<capacity { unsafe larger.header(slot).moveInitialize(from: header(slot), count: 1) }
    }

    func header(_ slot: Int) -> UnsafeMutablePointer<EntryHeader> {
        unsafe (headers + slot &* stride).assumingMemoryBound(to: EntryHeader.self)
    }
}
