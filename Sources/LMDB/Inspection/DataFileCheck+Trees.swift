/// Following trees, page by page.
extension DataFileCheck {
    /// What a tree turned out to have, to be compared with what it says of itself.
    private struct Count {
        var branchPages: UInt64 = 0
        var leafPages: UInt64 = 0
        var overflowPages: UInt64 = 0
        var entries: UInt64 = 0
    }

    /// A page still to be looked at, and the keys the page above it lets it have: from the first, below the second.
    private struct Expected {
        let number: UInt64
        let first: ArraySlice<UInt8>?
        let end: ArraySlice<UInt8>?
    }

    mutating func visitTree(_ tree: TreeRecord, isMain: Bool, name: String) throws(Finding) {
        guard tree.flags == 0 || (tree.flags == TreeRecord.integerKeys && !isMain), tree.isFreeList || tree.padding == 0
        else { throw Finding("the \(name) tree is of another kind than any here") }
        guard tree.root != TreeRecord.emptyRoot else {
            guard tree.entries == 0 else { throw Finding("the \(name) tree has entries but no root") }
            return
        }
        guard (1...32).contains(tree.depth) else { throw Finding("the \(name) tree is \(tree.depth) levels deep") }
        var count = Count()
        var level = [Expected(number: tree.root, first: nil, end: nil)]
        for depth in 1...tree.depth {
            var below: [Expected] = []
            for expected in level {
                let page = try treePage(expected.number, isLeaf: depth == tree.depth, name)
                if depth == tree.depth {
                    count.leafPages += 1
                    try visitLeaf(page, expected, tree, isMain: isMain, name, &count)
                } else {
                    count.branchPages += 1
                    try visitBranch(page, expected, tree, name, &below)
                }
            }
            level = below
        }
        guard count.branchPages == tree.branchPages, count.leafPages == tree.leafPages,
            count.overflowPages == tree.overflowPages, count.entries == tree.entries
        else { throw Finding("the \(name) tree has other numbers of pages or entries than it says") }
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

    private func visitBranch(
        _ page: Page,
        _ expected: Expected,
        _ tree: TreeRecord,
        _ name: String,
        _ below: inout [Expected]
    ) throws(Finding) {
        // LMDB takes it for granted that a branch leads to more than one page, but for the list of free pages.
        guard page.nodeCount > 1 || tree.isFreeList else { throw Finding("page \(page.number) leads to one page only") }
        let nodes = try nodes(of: page, isLeaf: false)
        // The first key of a branch page stands for everything smaller; its bytes mean nothing.
        var first = expected.first
        for (index, node) in nodes.enumerated() {
            let next = index + 1 < nodes.count ? nodes[index + 1].key : expected.end
            if index > 0 { try Self.check(node.key, from: first, below: expected.end, tree, page) }
            below.append(Expected(number: node.child, first: index > 0 ? node.key : expected.first, end: next))
            if index > 0 { first = node.key }
        }
    }

    /// The nodes of a page, which lie one after the other, without a gap, up to its end.
    private func nodes(of page: Page, isLeaf: Bool) throws(Finding) -> [Node] {
        var nodes: [Node] = []
        nodes.reserveCapacity(page.nodeCount)
        var starts = PageOffsets()
        var ends = PageOffsets()
        for index in 0..<page.nodeCount {
            guard let node = Node(page, index: index), node.offset % 2 == 0, !isLeaf || !node.key.isEmpty else {
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
        _ tree: TreeRecord,
        isMain: Bool,
        _ name: String,
        _ count: inout Count
    ) throws(Finding) {
        var previous: ArraySlice<UInt8>?
        for (index, node) in try nodes(of: page, isLeaf: true).enumerated() {
            try Self.check(
                node.key,
                from: previous ?? expected.first,
                below: expected.end,
                tree,
                page,
                isFirst: index == 0
            )
            previous = node.key
            count.entries += 1
            switch node.flags {
            case 0:
                if tree.isFreeList {
                    try visitFreeList(of: node, Array(page.bytes[node.dataOffset..<(node.dataOffset + node.dataSize)]))
                }
            case Node.bigData:
                let first: UInt64 = page.load(node.dataOffset)
                count.overflowPages += try visitOverflow(first, bytes: node.dataSize)
                if tree.isFreeList { try visitFreeList(of: node, try overflow(first, bytes: node.dataSize)) }
            case Node.subTree where isMain && node.dataSize == TreeRecord.byteCount:
                try visitTree(
                    TreeRecord(page, at: node.dataOffset),
                    isMain: false,
                    name: String(decoding: node.key, as: UTF8.self)
                )
            default:
                throw Finding("node \(index) of page \(page.number) has impossible flags")
            }
        }
    }

    private mutating func visitOverflow(_ first: UInt64, bytes: Int) throws(Finding) -> UInt64 {
        let pages = (Page.headerBytes - 1 + bytes) / Self.pageSize + 1
        guard first < UInt64(filePages) else { throw Finding("overflow page \(first) is beyond the end of the file") }
        for number in Int(first)..<(Int(first) + pages) { try claim(number) }
        let page = try page(Int(first))
        guard page.number == first, page.kind == .overflow, page.overflowPages == pages else {
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
    private mutating func visitFreeList(of node: Node, _ bytes: [UInt8]) throws(Finding) {
        guard Page(bytes: Array(node.key), position: 0).load(0) <= transaction else {
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

    /// Checks that a key comes after the one before it, and below the end of what its page may have.
    private static func check(
        _ key: ArraySlice<UInt8>,
        from previous: ArraySlice<UInt8>?,
        below end: ArraySlice<UInt8>?,
        _ tree: TreeRecord,
        _ page: Page,
        isFirst: Bool = false
    ) throws(Finding) {
        if tree.hasIntegerKeys {
            guard key.count == 8 else { throw Finding("page \(page.number) has a key that is no integer") }
        }
        if let previous {
            // The first key of a page may be the very one that leads there.
            guard isFirst ? tree.isOrdered(previous, key) : tree.precedes(previous, key) else {
                throw Finding("the keys of page \(page.number) are out of order")
            }
        }
        guard end.map({ tree.precedes(key, $0) }) ?? true else {
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
