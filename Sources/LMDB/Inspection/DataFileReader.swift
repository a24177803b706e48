internal import Glibc

/// Reads the entries of a data file with plain reads: LMDB neither maps the file nor writes to it.
///
/// Safe on a damaged file: what cannot be followed is a finding, never a crash. What it reads is only as right as the
/// file; `DataFileCheck` says whether that is sound. Nobody may write meanwhile, unless a `PinnedSnapshot` keeps
/// what is read.
package struct DataFileReader {
    package typealias Finding = DataFileCheck.Finding

    /// The pages and entries a tree says it has.
    package struct Tree {
        package let name: String
        let record: TreeRecord

        package var entries: Int { Int(clamping: record.entries) }

        package var pages: Int {
            [record.branchPages, record.leafPages, record.overflowPages].reduce(0) { $0 + Int(clamping: $1) }
        }
    }

    let file: DataFileCheck
    private let meta: Meta

    /// Reads the meta pages of the open file, which has to stay open; or begins at `root` instead.
    package init(descriptor: Int32, root: MetaPage? = nil) throws(Finding) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw Finding("the file cannot be looked at") }
        file = DataFileCheck(file: descriptor, filePages: Int(status.st_size) / DataFileCheck.pageSize)
        meta = try file.meta(root)
    }

    /// The bytes of a page.
    package static var pageBytes: Int { DataFileCheck.pageSize }

    /// The named trees, in the order of their names.
    package func trees() throws(Finding) -> [Tree] {
        var trees: [Tree] = []
        try forEachEntry(of: meta.main) { (entry) throws(Finding) in
            guard let record = entry.subTree else { return }
            trees.append(Tree(name: String(decoding: entry.key, as: UTF8.self), record: record))
        }
        return trees
    }

    /// The pages that are free, and those that the list of them takes.
    package func freePages() throws(Finding) -> (free: Int, list: Int) {
        var free = 0
        try forEachEntry(of: meta.free) { (entry) throws(Finding) in
            let count: UInt64 = Page(bytes: try entry.value(first: 8), position: 0).load(0)
            free += Int(clamping: count)
        }
        return (free, Tree(name: "", record: meta.free).pages)
    }

    /// How long a check of every page takes, in pages of trees; reads no more than the records of the trees.
    ///
    /// Of a value with pages of its own only the head is read, which takes a fifth of the time of a page of a tree.
    package func checkingEffort() throws(Finding) -> Int {
        var effort: UInt64 = 0
        var pages: UInt64 = 0
        for record in [meta.main, meta.free] + (try trees().map(\.record)) {
            let counts = [record.branchPages, record.leafPages, record.overflowPages]
            // Or else a wrong count would keep a small file from being checked.
            guard counts.allSatisfy({ $0 <= UInt64(file.filePages) }) else { throw Self.tooManyPages }
            pages += counts.reduce(0, +)
            effort += record.branchPages + record.leafPages + min(record.overflowPages, record.entries) / 5
        }
        guard pages <= UInt64(file.filePages) else { throw Self.tooManyPages }
        return Int(effort)
    }

    private static var tooManyPages: Finding { Finding("the trees are to have more pages than the file") }

    /// Calls `body` with each entry of a tree in the order of keys; what `body` throws ends the walk.
    package func forEachEntry(
        of tree: Tree,
        _ body: (DataFileEntry) throws(Finding) -> Void
    ) throws(Finding) {
        try forEachEntry(of: tree.record, body)
    }

    /// The entry under `key`, or `nil`.
    package func entry(forKey key: [UInt8], in tree: Tree) throws(Finding) -> DataFileEntry? {
        let record = tree.record
        guard record.root != TreeRecord.emptyRoot else { return nil }
        var number = record.root
        for level in 1..<max(record.depth, 1) {
            let page = try page(number, level: level, of: record)
            // The first key of a branch page stands for everything smaller; its bytes mean nothing.
            var child = try node(page, 0).child
            for index in 1..<page.nodeCount {
                let node = try node(page, index)
                guard !record.precedes(key.span, page.bytes.span.extracting(node.keyRange)) else { break }
                child = node.child
            }
            number = child
        }
        let leaf = try page(number, level: record.depth, of: record)
        for index in 0..<leaf.nodeCount {
            let node = try node(leaf, index)
            if leaf.key(of: node).elementsEqual(key) { return DataFileEntry(node, in: leaf, file: file) }
        }
        return nil
    }

    // MARK: Following trees

    private func forEachEntry(
        of record: TreeRecord,
        _ body: (DataFileEntry) throws(Finding) -> Void
    ) throws(Finding) {
        guard record.root != TreeRecord.emptyRoot else { return }
        // On a damaged file branches may lead in circles: no tree has more pages than the file.
        var pagesLeft = file.filePages
        var path = [(page: try page(record.root, level: 1, of: record), next: 0)]
        while let (page, next) = path.popLast() {
            guard path.count + 1 < record.depth else {
                for index in 0..<page.nodeCount { try body(DataFileEntry(try node(page, index), in: page, file: file)) }
                continue
            }
            guard next < page.nodeCount else { continue }
            pagesLeft -= 1
            guard pagesLeft >= 0 else { throw Finding("a tree has more pages than the file") }
            let child = try node(page, next).child
            path.append((page, next + 1))
            path.append((try self.page(child, level: path.count + 1, of: record), 0))
        }
    }

    private func page(_ number: UInt64, level: Int, of record: TreeRecord) throws(Finding) -> Page {
        guard number < UInt64(file.filePages) else { throw Finding("page \(number) is beyond the end of the file") }
        let page = try file.page(Int(number))
        let bounds = Page.headerBytes...Page.byteCount
        guard page.kind == (level == record.depth ? .leaf : .branch), bounds.contains(page.lower), page.nodeCount > 0
        else { throw Finding("page \(number) is not what the page above it says") }
        return page
    }

    private func node(_ page: Page, _ index: Int) throws(Finding) -> Node {
        guard let node = Node(page, index: index) else { throw Finding("node \(index) of page \(page.number)") }
        return node
    }
}

/// One entry of a tree of a data file.
package struct DataFileEntry {
    package let key: ArraySlice<UInt8>

    /// The bytes of the value.
    package let byteCount: Int

    private let node: Node
    private let page: Page
    private let file: DataFileCheck

    init(_ node: Node, in page: Page, file: DataFileCheck) {
        key = page.key(of: node)
        byteCount = node.dataSize
        self.node = node
        self.page = page
        self.file = file
    }

    /// The value, or its first `limit` bytes; reads only the pages these lie on.
    package func value(first limit: Int = .max) throws(DataFileCheck.Finding) -> [UInt8] {
        let wanted = min(byteCount, max(limit, 0))
        guard node.flags & Node.bigData != 0 else {
            guard node.dataOffset + wanted <= Page.byteCount else {
                throw DataFileCheck.Finding("a value of page \(page.number) leaves the page")
            }
            return Array(page.bytes[node.dataOffset..<(node.dataOffset + wanted)])
        }
        let first: UInt64 = page.load(node.dataOffset)
        return try file.overflow(first, bytes: wanted)
    }

    var subTree: TreeRecord? {
        guard node.flags == Node.subTree, byteCount == TreeRecord.byteCount else { return nil }
        return TreeRecord(page, at: node.dataOffset)
    }
}
