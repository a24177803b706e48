internal import Glibc

/// One page of the data file, as bytes; every access is checked.
struct Page {
    enum Kind {
        case branch
        case leaf
        case overflow
        case meta
        case other
    }

    static let headerBytes = 16
    static let byteCount = 4096

    let bytes: [UInt8]
    /// Where in the file it was found.
    let position: Int

    var number: UInt64 { load(0) }

    var kind: Kind {
        switch load(10) as UInt16 {
        case 0x01: .branch
        case 0x02: .leaf
        case 0x04: .overflow
        case 0x08: .meta
        default: .other
        }
    }

    var lower: Int { Int(load(12) as UInt16) }
    var upper: Int { Int(load(14) as UInt16) }
    var overflowPages: Int { Int(load(12) as UInt32) }
    var nodeCount: Int { (lower - Self.headerBytes) / 2 }

    /// The key of one of its nodes.
    func key(of node: Node) -> ArraySlice<UInt8> { bytes[node.keyRange] }

    /// A little-endian number; zero where the page ends.
    func load<Number: FixedWidthInteger & BitwiseCopyable>(_ offset: Int) -> Number {
        guard offset >= 0, offset + Number.bitWidth / 8 <= bytes.count else { return 0 }
        // Safety: every bit pattern is a number, the access is unaligned and was found in bounds.
        return Number(
            littleEndian: unsafe bytes.span.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: Number.self)
        )
    }
}

/// One key and what belongs to it, inside a branch or leaf page.
struct Node {
    static let headerBytes = 8
    static let bigData: UInt16 = 0x01
    static let subTree: UInt16 = 0x02

    let offset: Int
    /// Where in the page its key lies; no copy, for a check looks at every node there is.
    let keyRange: Range<Int>
    /// In a branch: the page below.
    let child: UInt64
    /// In a leaf: the size of the value.
    let dataSize: Int
    let dataOffset: Int
    let flags: UInt16

    init?(_ page: Page, index: Int) {
        offset = Int(page.load(Page.headerBytes + index * 2) as UInt16)
        guard offset >= page.upper, offset + Self.headerBytes <= page.bytes.count else { return nil }
        let low: UInt16 = page.load(offset)
        let high: UInt16 = page.load(offset + 2)
        flags = page.load(offset + 4)
        let keySize = Int(page.load(offset + 6) as UInt16)
        let keyStart = offset + Self.headerBytes
        guard keySize <= 511, keyStart + keySize <= page.bytes.count else { return nil }
        keyRange = keyStart..<(keyStart + keySize)
        child = UInt64(low) | UInt64(high) << 16 | UInt64(flags) << 32
        dataSize = Int(UInt32(low) | UInt32(high) << 16)
        dataOffset = keyStart + keySize
    }

    /// Where the node ends in its page, the padding to an even size included.
    func end(inLeaf isLeaf: Bool) -> Int {
        let bytes = !isLeaf ? 0 : flags & Self.bigData != 0 ? 8 : dataSize
        return offset + (dataOffset - offset + bytes + 1) & ~1
    }
}

/// The root of one tree, as the meta page or the main tree records it.
struct TreeRecord {
    static let byteCount = 48
    static let emptyRoot = UInt64.max

    let flags: UInt16
    /// Used only by the first tree, for the size of the pages.
    let padding: UInt32
    let depth: Int
    let branchPages: UInt64
    let leafPages: UInt64
    let overflowPages: UInt64
    let entries: UInt64
    let root: UInt64

    let isFreeList: Bool

    init(_ page: Page, at offset: Int, isFreeList: Bool = false) {
        self.isFreeList = isFreeList
        padding = page.load(offset)
        flags = page.load(offset + 4)
        depth = Int(page.load(offset + 6) as UInt16)
        branchPages = page.load(offset + 8)
        leafPages = page.load(offset + 16)
        overflowPages = page.load(offset + 24)
        entries = page.load(offset + 32)
        root = page.load(offset + 40)
    }

    static let integerKeys: UInt16 = 0x08

    var hasIntegerKeys: Bool { flags & Self.integerKeys != 0 }

    /// Whether one key comes before another.
    func precedes(_ key: Span<UInt8>, _ next: Span<UInt8>) -> Bool {
        if hasIntegerKeys, key.count == 8, next.count == 8 { return Self.integer(key) < Self.integer(next) }
        // Safety: memcmp is given no more bytes than both have; an empty key may have no address at all.
        let order = unsafe key.withUnsafeBytes { key in
            unsafe next.withUnsafeBytes { next in
                guard let first = key.baseAddress, let second = next.baseAddress else { return Int32(0) }
                return unsafe memcmp(first, second, min(key.count, next.count))
            }
        }
        return order == 0 ? key.count < next.count : order < 0
    }

    private static func integer(_ key: Span<UInt8>) -> UInt64 {
        // Safety: the caller has found eight bytes.
        UInt64(littleEndian: unsafe key.withUnsafeBytes { unsafe $0.loadUnaligned(as: UInt64.self) })
    }
}

/// A meta page: the roots, and how far the file goes.
struct Meta {
    /// The header of the page included.
    static let byteCount = 152

    let free: TreeRecord
    let main: TreeRecord
    let lastPage: Int
    let transaction: UInt64

    init?(_ page: Page) {
        guard page.kind == .meta, page.number == UInt64(page.position) else { return nil }
        guard page.load(16) as UInt32 == 0xBEEF_C0DE, page.load(20) as UInt32 == 1 else { return nil }
        // The page size stands in the first tree's padding.
        guard page.load(40) as UInt32 == UInt32(DataFileCheck.pageSize) else { return nil }
        free = TreeRecord(page, at: 40, isFreeList: true)
        main = TreeRecord(page, at: 88)
        let last: UInt64 = page.load(136)
        guard last >= 1, last < 1 << 36, free.flags == TreeRecord.integerKeys else { return nil }
        lastPage = Int(last)
        transaction = page.load(144)
    }
}
