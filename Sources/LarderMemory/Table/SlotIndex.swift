/// The hash index: finds the slot of a key with one hash, by open addressing with linear probing.
///
/// An empty cell is zero; others hold, from their low bits on:
///
///     as many bits as number the cells    the slot plus one: fewer slots than cells have ever been in use
///     up to 4 bits                        how far the cell lies from where its search begins, up to the most they hold
///     the rest                            a tag, of the high bits of the key's hash
///
/// The low bits of the hash say where the search begins. So one comparison decides most probes without touching a key, and a
/// removal need not hash again. Four bytes a cell keep the index in the caches that values would push it out of.
@usableFromInline
@safe
struct SlotIndex: ~Copyable {
    // Safety: `cells` points to `mask + 1` initialised words until deinit frees them; positions are masked.
    @usableFromInline private(set) var cells: UnsafeMutablePointer<UInt32>
    @usableFromInline private(set) var mask: Int

    /// How many low bits of a cell are the slot's.
    @usableFromInline private(set) var slotBits: UInt32

    /// The largest distance that a cell states; it stands for all beyond, too.
    @usableFromInline private(set) var farthest: UInt32
    private(set) var count = 0

    init() {
        self.init(slotBits: 4)
    }

    private init(slotBits: UInt32) {
        // Memory for the entries of so many cells would run out long before.
        precondition(slotBits < 32, "the index of a cache cannot have 2^\(slotBits) cells")
        self.slotBits = slotBits
        mask = 1 << Int(slotBits) - 1
        farthest = 1 << min(4, 32 - slotBits) - 1
        unsafe cells = TableMemory.allocate(repeating: 0, count: mask + 1)
    }

    @inlinable
    deinit {
        unsafe cells.deallocate()
    }

    /// The slot for which `matches` holds among those of this hash; `nil` when there is none.
    @inlinable
    @inline(__always)
    func slot(of hash: UInt64, where matches: (Int) -> Bool) -> Int? {
        let tag = tag(of: hash)
        var position = Int(truncatingIfNeeded: hash) & mask
        var distance: UInt32 = 0
        while true {
            let cell = unsafe cells[position]
            if cell == 0 { return nil }
            if cell &>> slotBits == tag | distance {
                let slot = Int(cell & UInt32(truncatingIfNeeded: mask)) &- 1
                if matches(slot) { return slot }
            }
            position = (position &+ 1) & mask
            distance = min(distance &+ 1, farthest)
        }
    }

    /// A hash's tag, where it stands above a cell's distance.
    @inlinable
    @inline(__always)
    func tag(of hash: UInt64) -> UInt32 {
        UInt32(truncatingIfNeeded: hash &>> 32) &>> slotBits & ~farthest
    }

    /// Whether the next insertion needs more cells: at most four fifths hold something, so that a probe seldom leaves its cache
    /// line.
    var isFull: Bool { (count + 1) * 5 > (mask + 1) * 4 }

    /// Doubles the cells.
    ///
    /// A cell keeps only a part of its hash: the caller names the slots with their hashes again.
    mutating func grow(_ entries: some Sequence<(slot: Int, hash: UInt64)>) {
        self = SlotIndex(slotBits: slotBits + 1)
        for (slot, hash) in entries { insert(slot, hash: hash) }
    }

    /// Adds a slot to an index that is not full.
    mutating func insert(_ slot: Int, hash: UInt64) {
        precondition(slot < mask && !isFull, "no cell for slot \(slot) beside \(count) others in \(mask + 1)")
        let home = Int(truncatingIfNeeded: hash) & mask
        var position = home
        while unsafe cells[position] != 0 { position = (position + 1) & mask }
        unsafe cells[position] = cell(slot, tag: tag(of: hash), distance: (position - home) & mask)
        count += 1
    }

    private func cell(_ slot: Int, tag: UInt32, distance: Int) -> UInt32 {
        (tag | UInt32(min(distance, Int(farthest)))) << slotBits | UInt32(slot + 1)
    }

    /// Removes the cell of a slot and closes the gap, so that no marker of a removed key ever slows a probe.
    ///
    /// `hashes` gives the hash of a slot, asked of those that lie too far from home for their cell to say.
    mutating func remove(_ slot: Int, hash: UInt64, hashes: (Int) -> UInt64) {
        var gap = Int(truncatingIfNeeded: hash) & mask
        while unsafe self.slot(in: cells[gap]) != slot {
            precondition(unsafe cells[gap] != 0, "slot \(slot) is not in the index")
            gap = (gap + 1) & mask
        }
        var position = gap
        while true {
            position = (position + 1) & mask
            let follower = unsafe cells[position]
            if follower == 0 { break }
            let followerSlot = self.slot(in: follower)
            let state = follower >> slotBits
            var distance = Int(state & farthest)
            if distance == farthest { distance = (position - Int(truncatingIfNeeded: hashes(followerSlot))) & mask }
            // A follower may fill the gap unless its home lies behind the gap on its way here.
            let step = (position - gap) & mask
            if distance >= step {
                unsafe cells[gap] = cell(followerSlot, tag: state & ~farthest, distance: distance - step)
                gap = position
            }
        }
        unsafe cells[gap] = 0
        count -= 1
    }

    /// The slot that a cell holds; -1 for an empty one.
    private func slot(in cell: UInt32) -> Int {
        Int(cell & UInt32(mask)) - 1
    }

    /// The address of the cells, and in its low six bits, which are zero there, the logarithm of their number.
    @inlinable
    @inline(__always)
    var place: UInt {
        // Safety: only the address is taken.
        let address = unsafe UInt(bitPattern: cells)
        return address | UInt(slotBits)
    }

    /// The bytes that the index occupies.
    var bytes: Int { (mask + 1) * MemoryLayout<UInt32>.stride }
}
