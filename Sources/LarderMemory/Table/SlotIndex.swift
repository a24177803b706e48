/// The hash index: finds the slot of a key with one hash, by open addressing with linear probing.
///
/// A cell holds the slot plus one in its upper half and the low half of the key's hash in its lower half; an empty cell is
/// zero. So most probes are decided without touching a key, and growing and removing never hash again.
@usableFromInline
@safe
struct SlotIndex: ~Copyable {
    // Safety: `cells` points to `mask + 1` initialised words until deinit frees them; positions are masked.
    @usableFromInline var cells: UnsafeMutablePointer<UInt64>
    @usableFromInline var mask: Int
    private(set) var count = 0

    init() {
        mask = 15
        unsafe cells = TableMemory.allocate(repeating: 0, count: 16)
    }

    @inlinable
    deinit {
        unsafe cells.deallocate()
    }

    /// The slot for which `matches` holds among those of this hash; `nil` when there is none.
    @inlinable
    @inline(__always)
    func slot(of hash: UInt64, where matches: (Int) -> Bool) -> Int? {
        let fragment = UInt32(truncatingIfNeeded: hash)
        var position = Int(fragment) & mask
        while true {
            let cell = unsafe cells[position]
            if cell == 0 { return nil }
            if UInt32(truncatingIfNeeded: cell) == fragment {
                let slot = Int(truncatingIfNeeded: cell &>> 32) &- 1
                if matches(slot) { return slot }
            }
            position = (position &+ 1) & mask
        }
    }

    mutating func insert(_ slot: Int, hash: UInt64) {
        // At most four fifths full: a probe seldom leaves its cache line, and the index stays small.
        if (count + 1) * 5 > (mask + 1) * 4 { grow() }
        place(UInt64(slot + 1) << 32 | UInt64(UInt32(truncatingIfNeeded: hash)))
        count += 1
    }

    /// Removes the cell of a slot and closes the gap, so that no marker of a removed key ever slows a probe.
    mutating func remove(_ slot: Int, hash: UInt64) {
        let cell = UInt64(slot + 1) << 32 | UInt64(UInt32(truncatingIfNeeded: hash))
        var gap = home(of: cell)
        while unsafe cells[gap] != cell {
            precondition(unsafe cells[gap] != 0, "slot \(slot) is not in the index")
            gap = (gap + 1) & mask
        }
        var position = gap
        while true {
            position = (position + 1) & mask
            let follower = unsafe cells[position]
            if follower == 0 { break }
            // A follower may fill the gap unless its home lies behind the gap on its way here.
            let distance = (position - home(of: follower)) & mask
            if distance >= (position - gap) & mask {
                unsafe cells[gap] = follower
                gap = position
            }
        }
        unsafe cells[gap] = 0
        count -= 1
    }

    private func home(of cell: UInt64) -> Int {
        Int(UInt32(truncatingIfNeeded: cell)) & mask
    }

    private func place(_ cell: UInt64) {
        var position = home(of: cell)
        while unsafe cells[position] != 0 { position = (position + 1) & mask }
        unsafe cells[position] = cell
    }

    private mutating func grow() {
        let old = unsafe cells
        let oldCount = mask + 1
        unsafe cells = TableMemory.allocate(repeating: 0, count: oldCount * 2)
        mask = oldCount * 2 - 1
        for position in 0..<oldCount where unsafe old[position] != 0 { place(unsafe old[position]) }
        unsafe old.deallocate()
    }

    /// The address of the cells, and in its low six bits, which are zero there, the logarithm of their number.
    @inlinable
    @inline(__always)
    var place: UInt {
        // Safety: only the address is taken.
        // Safety: only the address is taken.
        let address = unsafe UInt(bitPattern: cells)
        return address | UInt(truncatingIfNeeded: (mask &+ 1).trailingZeroBitCount)
    }

    /// The bytes that the index occupies.
    var bytes: Int { (mask + 1) * MemoryLayout<UInt64>.stride }
}
