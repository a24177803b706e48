/// Following trees, page by page.
extension DataFileCheck {
    /// A page still to be looked at, and the keys the page above it lets it have: from the first, below the second.
    private struct Expected {
        let number: UInt64
        let first: ArraySlice<UInt8>?
        let end: ArraySlice<UInt8>?
    }

    /// Checks a whole tree, and that it has as many pages and entries as it says.
    mutating func checkTree(_ tree: TreeRecord, isMain: Bool = false, name: String) throws(Finding) {
        var walk = TreeWalk(tree, isMain: isMain, name: name)
        try follow(&walk)
        let count = walk.count
        guard count.branchPages == tree.branchPages, count.leafPages == tree.leafPages,
            count.overflowPages == tree.overflowPages, count.entries == tree.entries
        else { throw Finding("the \(name) tree has other numbers of pages or entries than it says") }
    }

    /// Looks at the pages of a tree in the order of keys, as far as the walk is to go.
    mutating func follow(_ walk: inout TreeWalk) throws(Finding) {
        let (tree, name) = (walk.tree, walk.name)
        guard tree.flags == 0 || (tree.flags == TreeRecord.integerKeys && !walk.isMain),
            tree.isFreeList || tree.padding == 0
        else { throw Finding("the \(name) tree is of another kind than any here") }
        guard tree.root != TreeRecord.emptyRoot else {
            guard tree.entries == 0 else { throw Finding("the \(name) tree has entries but no root") }
            return
        }
        guard (1...32).contains(tree.depth) else { throw Finding("the \(name) tree is \(tree.depth) levels deep") }
        try visit(Expected(number: tree.root, first: nil, end: nil), level: 1, &walk)
    }

    private mutating func visit(_ expected: Expected, level: Int, _ walk: inout TreeWalk) throws(Finding) {
        let isLeaf = level == walk.tree.depth
        let page = try treePage(expected.number, isLeaf: isLeaf, walk.name)
        guard !isLeaf else { return try visitLeaf(page, expected, &walk) }
        walk.count.branchPages += 1
        // In a damaged file branches may lead in a circle, but no deeper than this, and the keys of a page do not fit twice.
        for child in try children(of: page, expected, walk.tree) {
            if let end = child.end, walk.isBehind(upTo: end) { continue }
            try visit(child, level: level + 1, &walk)
            guard !walk.isStopped else { return }
        }
    }

    private mutating func treePage(_ number: UInt64, isLeaf: Bool, _ name: String) throws(Finding) -> Page {
        guard number < UInt64(filePages) else { throw Finding("page \(number) of the \(name) tree is beyond the end") }
        try claim(Int(number))
        let page = try page(Int(number))
        guard page.number == number, page.kind == (isLeaf ? .leaf : .branch) else {
            throw Finding("page \(number) is not what the \(name) tree says")
        }
        let bounds = Page.headerBytes...Self.pageSize
        guard bounds.contains(page.lower), bounds.contains(page.upper), page.lower <= page.upper,
            page.lower % 2 == 0, page.nodeCount >= 1
        else { throw Finding("page \(number) has impossible bounds") }
        return page
    }

    /// The pages a branch leads to.
    private func children(
        of page: Page,
        _ expected: Expected,
        _ tree: TreeRecord
    ) throws(Finding) -> [Expected] {
        // LMDB takes it for granted that a branch leads to more than one page, but for the list of free pages.
        guard page.nodeCount > 1 || tree.isFreeList else { throw Finding("page \(page.number) leads to one page only") }
        let nodes = try nodes(of: page, isLeaf: false)
        // The first key of a branch page stands for everything smaller; its bytes mean nothing.
        try checkOrder(of: nodes.dropFirst(), in: page, expected, tree)
        return nodes.enumerated().map { index, node in
            Expected(
                number: node.child,
                first: index > 0 ? page.key(of: node) : expected.first,
                end: index + 1 < nodes.count ? page.key(of: nodes[index + 1]) : expected.end
            )
        }
    }

    /// The nodes of a page, which lie one after the other, without a gap, up to its end.
    private func nodes(of page: Page, isLeaf: Bool) throws(Finding) -> [Node] {
        var nodes: [Node] = []
        nodes.reserveCapacity(page.nodeCount)
        var starts = PageOffsets()
        var ends = PageOffsets()
        for index in 0..<page.nodeCount {
            guard let node = Node(page, index: index), node.offset % 2 == 0, !isLeaf || !node.keyRange.isEmpty else {
                throw Finding("node \(index) of page \(page.number) is no node")
            }
            let end = node.end(inLeaf: isLeaf)
            guard end <= Self.pageSize, starts.insert(node.offset), ends.insert(end) else {
                throw Finding("node \(index) of page \(page.number) leaves the page or overlaps another")
            }
            nodes.append(node)
        }
        // Beginnings and ends are all different; so if each end but the page's is a beginning, nothing is left out.
        for node in nodes {
            let end = node.end(inLeaf: isLeaf)
            guard end == Self.pageSize || starts.contains(end) else {
                throw Finding("the nodes of page \(page.number) do not fill it")
            }
        }
        guard starts.contains(page.upper) else { throw Finding("the nodes of page \(page.number) do not fill it") }
        return nodes
    }

    private mutating func visitLeaf(
        _ page: Page,
        _ expected: Expected,
        _ walk: inout TreeWalk
    ) throws(Finding) {
        let nodes = try nodes(of: page, isLeaf: true)
        try checkOrder(of: nodes[...], in: page, expected, walk.tree, mayBeginAtFirst: true)
        walk.count.leafPages += 1
        walk.count.entries += UInt64(nodes.count)
        for (index, node) in nodes.enumerated() where node.flags != 0 || walk.tree.isFreeList {
            guard !walk.isBehind(page.key(of: node)) else { continue }
            try visitValue(of: node, index, page, &walk)
            guard walk.isOver, index + 1 < nodes.count else { continue }
            return walk.stop(before: page.key(of: nodes[index + 1]))
        }
        if walk.isOver { walk.stop(before: expected.end) }
    }

    private mutating func visitValue(
        of node: Node,
        _ index: Int,
        _ page: Page,
        _ walk: inout TreeWalk
    ) throws(Finding) {
        switch node.flags {
        case 0:
            let bytes = page.bytes[node.dataOffset..<(node.dataOffset + node.dataSize)]
            try visitFreeList(page.key(of: node), Array(bytes))
        case Node.bigData:
            let first: UInt64 = page.load(node.dataOffset)
            walk.count.overflowPages += try visitOverflow(first, bytes: node.dataSize)
            if walk.tree.isFreeList {
                try visitFreeList(page.key(of: node), try overflow(first, bytes: node.dataSize))
            }
        case Node.subTree where walk.isMain && node.dataSize == TreeRecord.byteCount:
            let name = String(decoding: page.key(of: node), as: UTF8.self)
            subTrees.append((name, TreeRecord(page, at: node.dataOffset)))
        default:
            throw Finding("node \(index) of page \(page.number) has impossible flags")
        }
    }

    /// Looks at the head of a value that takes pages of its own: its page count is all of it that LMDB relies on.
    ///
    /// A value that replaces a larger one of the same transaction would keep all pages of that; nothing here writes so.
    private mutating func visitOverflow(_ first: UInt64, bytes: Int) throws(Finding) -> UInt64 {
        let pages = (Page.headerBytes - 1 + bytes) / Self.pageSize + 1
        guard first < UInt64(filePages) else { throw Finding("overflow page \(first) is beyond the end of the file") }
        for number in Int(first)..<(Int(first) + pages) { try claim(number) }
        let head = try page(Int(first), bytes: Page.headerBytes)
        guard head.number == first, head.kind == .overflow, head.overflowPages == pages else {
            throw Finding("overflow page \(first) is not what its leaf says")
        }
        return UInt64(pages)
    }

    func overflow(_ first: UInt64, bytes: Int) throws(Finding) -> [UInt8] {
        let pages = (Page.headerBytes - 1 + bytes) / Self.pageSize + 1
        guard first < UInt64(filePages), pages <= filePages else {
            throw Finding("overflow page \(first) is beyond the end of the file")
        }
        var data: [UInt8] = []
        data.reserveCapacity(pages * Self.pageSize)
        for number in Int(first)..<(Int(first) + pages) { data += try page(number).bytes }
        return Array(data[Page.headerBytes..<(Page.headerBytes + bytes)])
    }

    /// A list of free pages: their number, then each of them, descending.
    ///
    /// None may be in use or be free twice.
    private mutating func visitFreeList(_ key: ArraySlice<UInt8>, _ bytes: [UInt8]) throws(Finding) {
        guard Page(bytes: Array(key), position: 0).load(0) <= transaction else {
            throw Finding("pages were freed by a transaction that is still to come")
        }
        let list = Page(bytes: bytes, position: 0)
        let count: UInt64 = list.load(0)
        guard count < UInt64(bytes.count / 8) else { throw Finding("a list of free pages is longer than its record") }
        var previous = UInt64.max
        for index in 0..<Int(count) {
            let number: UInt64 = list.load(8 + index * 8)
            guard number < previous, number <= UInt64(lastPage) else {
                throw Finding("a list of free pages is out of order or range")
            }
            previous = number
            try claim(Int(number), isInFile: false)
        }
    }

    /// Checks that keys come one after the other, from the first and below the end of what their page may have.
    private func checkOrder(
        of nodes: ArraySlice<Node>,
        in page: Page,
        _ expected: Expected,
        _ tree: TreeRecord,
        mayBeginAtFirst: Bool = false
    ) throws(Finding) {
        guard let first = nodes.first, let last = nodes.last else { return }
        guard !tree.hasIntegerKeys || nodes.allSatisfy({ $0.keyRange.count == 8 }) else {
            throw Finding("page \(page.number) has a key that is no integer")
        }
        let bytes = page.bytes.span
        var isOrdered = true
        if let limit = expected.first {
            let (key, limit) = (bytes.extracting(first.keyRange), limit.span)
            // The first key of a leaf may be the very one that leads there.
            isOrdered = mayBeginAtFirst ? !tree.precedes(key, limit) : tree.precedes(limit, key)
        }
        var previous = first.keyRange
        for node in nodes.dropFirst() {
            isOrdered = isOrdered && tree.precedes(bytes.extracting(previous), bytes.extracting(node.keyRange))
            previous = node.keyRange
        }
        guard isOrdered else { throw Finding("the keys of page \(page.number) are out of order") }
        guard let end = expected.end else { return }
        guard tree.precedes(bytes.extracting(last.keyRange), end.span) else {
            throw Finding("page \(page.number) has a key that belongs to another page")
        }
    }
}

/// A set of even offsets in a page, its end included.
private struct PageOffsets {
    private var words = InlineArray<33, UInt64>(repeating: 0)

    /// Returns whether it was not there yet.
    mutating func insert(_ offset: Int) -> Bool {
        guard !contains(offset) else { return false }
        words[offset / 128] |= 1 << UInt64(offset / 2 % 64)
        return true
    }

    func contains(_ offset: Int) -> Bool {
        words[offset / 128] >> UInt64(offset / 2 % 64) & 1 == 1
    }
}
