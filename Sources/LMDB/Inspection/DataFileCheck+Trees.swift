/// Following trees, page by page.
extension DataFileCheck {
    /// What a tree turned out to have, to be compared with what it says of itself.
    private struct Count {
        var branchPages: UInt64 = 0
        var leafPages: UInt64 = 0
        var overflowPages: UInt64 = 0
        var entries: UInt64 = 0
    }

    mutating func visitTree(_ tree: TreeRecord, isMain: Bool, name: String) throws(Finding) {
        guard tree.root != TreeRecord.emptyRoot else {
            guard tree.entries == 0 else { throw Finding("the \(name) tree has entries but no root") }
            return
        }
        guard (1...32).contains(tree.depth) else { throw Finding("the \(name) tree is \(tree.depth) levels deep") }
        var count = Count()
        var levels: [UInt64] = [tree.root]
        for level in 1...tree.depth {
            var below: [UInt64] = []
            for number in levels {
                let page = try treePage(number, isLeaf: level == tree.depth, name)
                if level == tree.depth {
                    count.leafPages += 1
                    try visitLeaf(page, tree, isMain: isMain, name, &count)
                } else {
                    count.branchPages += 1
                    try visitBranch(page, tree, name, &below)
                }
            }
            levels = below
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
        _ tree: TreeRecord,
        _ name: String,
        _ below: inout [UInt64]
    ) throws(Finding) {
        var previous: ArraySlice<UInt8>?
        for index in 0..<page.nodeCount {
            guard let node = Node(page, index: index) else { throw Finding("node \(index) of page \(page.number)") }
            // The first key of a branch page stands for everything smaller; its bytes mean nothing.
            if index > 0 { try Self.checkOrder(&previous, node.key, tree, page) }
            below.append(node.child)
        }
    }

    private mutating func visitLeaf(
        _ page: Page,
        _ tree: TreeRecord,
        isMain: Bool,
        _ name: String,
        _ count: inout Count
    ) throws(Finding) {
        var previous: ArraySlice<UInt8>?
        for index in 0..<page.nodeCount {
            guard let node = Node(page, index: index), !node.key.isEmpty else {
                throw Finding("node \(index) of page \(page.number)")
            }
            try Self.checkOrder(&previous, node.key, tree, page)
            count.entries += 1
            let inlineBytes = node.flags & Node.bigData != 0 ? 8 : node.dataSize
            guard node.dataOffset + inlineBytes <= Self.pageSize else {
                throw Finding("the value of node \(index) of page \(page.number) leaves the page")
            }
            switch node.flags {
            case 0:
                if tree.isFreeList {
                    try visitFreeList(Array(page.bytes[node.dataOffset..<(node.dataOffset + node.dataSize)]))
                }
            case Node.bigData:
                let first: UInt64 = page.load(node.dataOffset)
                count.overflowPages += try visitOverflow(first, bytes: node.dataSize)
                if tree.isFreeList { try visitFreeList(try overflow(first, bytes: node.dataSize)) }
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
    private mutating func visitFreeList(_ bytes: [UInt8]) throws(Finding) {
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

    private static func checkOrder(
        _ previous: inout ArraySlice<UInt8>?,
        _ key: ArraySlice<UInt8>,
        _ tree: TreeRecord,
        _ page: Page
    ) throws(Finding) {
        defer { previous = key }
        if tree.hasIntegerKeys {
            guard key.count == 8 else { throw Finding("page \(page.number) has a key that is no integer") }
        }
        guard let previous else { return }
        // Integers are little-endian: compared from their most significant byte they sort as numbers.
        let isAscending =
            tree.hasIntegerKeys
            ? previous.reversed().lexicographicallyPrecedes(key.reversed())
            : previous.lexicographicallyPrecedes(key)
        guard isAscending else { throw Finding("the keys of page \(page.number) are out of order") }
    }
}
