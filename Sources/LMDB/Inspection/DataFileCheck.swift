internal import Glibc

/// Judges a data file before LMDB maps it, with plain reads.
///
/// LMDB trusts what it maps: structural damage ends the process by a failed assertion or a signal. This follows every
/// page reachable from the newest meta page and checks what LMDB would rely on. It does not judge what records say; their
/// own checksums do.
package struct DataFileCheck {
    /// Why a file cannot be used.
    package struct Finding: Error, Sendable, Hashable, CustomStringConvertible {
        package let description: String

        package init(_ description: String) {
            self.description = description
        }
    }

    /// How much of the file is looked at.
    package enum Depth: Sendable {
        /// The meta pages, and the rest only if the file is shorter than they say.
        case shape

        /// Every reachable page.
        case whole
    }

    /// What LMDB reads first: the part of both meta pages that means anything; `nil` if they cannot be read.
    package static func metaBytes(descriptor: Int32) -> [UInt8]? {
        var bytes: [UInt8] = []
        for number in 0...1 {
            guard let page = MetaPage.read(number, descriptor: descriptor) else { return nil }
            bytes += page[..<Meta.byteCount]
        }
        return bytes
    }

    static let pageSize = 4096

    let file: Int32
    let filePages: Int
    var lastPage = 0
    var transaction: UInt64 = 0
    /// A bit for each page that was met; left out where a file is looked at in parts.
    var visited: [UInt64] = []
    /// The trees that the main one has led to, in the order of their names.
    var subTrees: [(name: String, record: TreeRecord)] = []

    /// Checks the open file, and returns the number of pages reached.
    ///
    /// Begins at `root` in place of the newer of the file's own meta pages, if it is given.
    @discardableResult
    package static func run(
        descriptor: Int32,
        depth: Depth,
        root: MetaPage? = nil
    ) throws(Finding) -> Int {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw Finding("the file cannot be looked at") }
        let bytes = Int(status.st_size)
        guard bytes >= 2 * pageSize else { throw Finding("the file is \(bytes) bytes long, too short for any") }
        var check = DataFileCheck(file: descriptor, filePages: bytes / pageSize)
        let meta = try check.meta(root)
        // A file may end before its last page: pages allocated and freed in one transaction were never written. LMDB limits
        // a transaction to 131,072 pages; much more than that, and it would reserve what there is no address space for.
        guard meta.lastPage < check.filePages + 4 * 131_072 else {
            throw Finding("page \(meta.lastPage) is to be the last one of \(check.filePages)")
        }
        guard depth == .whole || check.filePages <= meta.lastPage else { return 0 }
        check.lastPage = meta.lastPage
        check.transaction = meta.transaction
        check.visited = [UInt64](repeating: 0, count: meta.lastPage / 64 + 1)
        try check.checkTree(meta.main, isMain: true, name: "main")
        for tree in check.subTrees { try check.checkTree(tree.record, name: tree.name) }
        try check.checkTree(meta.free, name: "free list")
        return check.visited.reduce(0) { $0 + $1.nonzeroBitCount }
    }

    init(file: Int32, filePages: Int) {
        self.file = file
        self.filePages = filePages
    }

    // MARK: Reading

    /// Reads a page, or its first `count` bytes.
    func page(_ number: Int, bytes count: Int = pageSize) throws(Finding) -> Page {
        guard number < filePages else { throw Finding("page \(number) is beyond the end of the file") }
        // Safety: as many bytes are made an array as were read.
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, read in
            read = unsafe max(pread(file, buffer.baseAddress, count, number * Self.pageSize), 0)
        }
        guard bytes.count == count else { throw Finding("page \(number) cannot be read") }
        return Page(bytes: bytes, position: number)
    }

    func meta(_ root: MetaPage?) throws(Finding) -> Meta {
        guard let root else { return try newestMeta() }
        guard let meta = root.meta else { throw Finding("the given meta page is damaged") }
        return meta
    }

    func newestMeta() throws(Finding) -> Meta {
        var newest: Meta?
        for number in 0...1 {
            guard let meta = Meta(try page(number)) else { throw Finding("meta page \(number) is damaged or foreign") }
            if newest.map({ meta.transaction > $0.transaction }) ?? true { newest = meta }
        }
        guard let newest else { throw Finding("there is no meta page") }
        return newest
    }

    /// Marks a page as seen; every page belongs to one place.
    mutating func claim(_ number: Int, isInFile: Bool = true) throws(Finding) {
        // A free page may lie beyond the end: it was never written.
        guard number >= 2, number <= lastPage, !isInFile || number < filePages else {
            throw Finding("page \(number) is out of range")
        }
        guard !visited.isEmpty else { return }
        let bit: UInt64 = 1 << UInt64(number % 64)
        guard visited[number / 64] & bit == 0 else { throw Finding("page \(number) is reached twice") }
        visited[number / 64] |= bit
    }
}
