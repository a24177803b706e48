/// Hashes of entries that have left, oldest first, worth no more than a bound.
///
/// Found by open addressing over the hashes, which are mixed and secretly seeded already. A hash stands for its key: two
/// keys with the same 64 bits would cost one wrong guess about where a newcomer belongs, nothing else.
struct GhostQueue: Sendable {
    private struct Node: Sendable {
        var hash: UInt64
        var weight: Int
        var older: UInt32
        /// The next younger node, or the next free one.
        var younger: UInt32
    }

    private static let none = UInt32.max

    private var nodes: [Node] = []
    private var firstFree = none
    private var oldest = none
    private var youngest = none

    /// The number of a node plus one; zero where none is.
    private var cells = [UInt32](repeating: 0, count: 16)

    private(set) var count = 0

    /// The sum of the weights of all that is remembered.
    private(set) var weight = 0

    /// Remembers a hash that is not in the queue, and forgets the oldest ones until both bounds hold.
    mutating func insert(_ hash: UInt64, weight: Int, weightLimit: Int, countLimit: Int) {
        guard weight <= weightLimit, countLimit > 0 else { return }
        if let position = position(of: hash) { removeCell(at: position) }
        // Compared this way round because the sum may pass Int.max.
        while count >= countLimit || self.weight > weightLimit - weight { removeOldest() }
        let node = makeNode(Node(hash: hash, weight: weight, older: youngest, younger: Self.none))
        if youngest == Self.none { oldest = node } else { nodes[Int(youngest)].younger = node }
        youngest = node
        self.weight += weight
        count += 1
        if count * 8 > cells.count * 5 { grow() } else { place(node) }
    }

    /// Forgets a hash.
    ///
    /// - Returns: Whether it was remembered.
    @discardableResult
    mutating func remove(_ hash: UInt64) -> Bool {
        guard let position = position(of: hash) else { return false }
        removeCell(at: position)
        return true
    }

    /// Forgets the oldest hashes until their worth is at most `weightLimit`.
    mutating func trim(to weightLimit: Int) {
        while weight > weightLimit { removeOldest() }
    }

    private mutating func removeOldest() {
        if let position = position(of: nodes[Int(oldest)].hash) { removeCell(at: position) }
    }

    // MARK: Nodes

    private mutating func makeNode(_ node: Node) -> UInt32 {
        guard firstFree != Self.none else {
            nodes.append(node)
            return UInt32(nodes.count - 1)
        }
        let free = firstFree
        firstFree = nodes[Int(free)].younger
        nodes[Int(free)] = node
        return free
    }

    private mutating func freeNode(_ number: UInt32) {
        let node = nodes[Int(number)]
        if node.older == Self.none { oldest = node.younger } else { nodes[Int(node.older)].younger = node.younger }
        if node.younger == Self.none { youngest = node.older } else { nodes[Int(node.younger)].older = node.older }
        nodes[Int(number)].younger = firstFree
        firstFree = number
        weight -= node.weight
        count -= 1
    }

    // MARK: Cells

    private func home(of hash: UInt64) -> Int {
        Int(truncatingIfNeeded: hash) & (cells.count - 1)
    }

    private func position(of hash: UInt64) -> Int? {
        var position = home(of: hash)
        while cells[position] != 0 {
            if nodes[Int(cells[position] - 1)].hash == hash { return position }
            position = (position + 1) & (cells.count - 1)
        }
        return nil
    }

    private mutating func place(_ node: UInt32) {
        var position = home(of: nodes[Int(node)].hash)
        while cells[position] != 0 { position = (position + 1) & (cells.count - 1) }
        cells[position] = node + 1
    }

    /// Frees the node at a cell and closes the gap, as `SlotIndex` does.
    private mutating func removeCell(at start: Int) {
        freeNode(cells[start] - 1)
        let mask = cells.count - 1
        var gap = start
        var position = start
        while true {
            position = (position + 1) & mask
            guard cells[position] != 0 else { break }
            let distance = (position - home(of: nodes[Int(cells[position] - 1)].hash)) & mask
            if distance >= (position - gap) & mask {
                cells[gap] = cells[position]
                gap = position
            }
        }
        cells[gap] = 0
    }

    private mutating func grow() {
        cells = [UInt32](repeating: 0, count: cells.count * 2)
        var node = oldest
        while node != Self.none {
            place(node)
            node = nodes[Int(node)].younger
        }
    }

    /// The bytes that the queue occupies.
    var bytes: Int { nodes.capacity * MemoryLayout<Node>.stride + cells.capacity * MemoryLayout<UInt32>.stride }
}
