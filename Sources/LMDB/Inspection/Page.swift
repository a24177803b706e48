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

    /// A little-endian number; zero where the page ends.
    func load<Number: FixedWidthInteger>(_ offset: Int) -> Number {
        let width = Number.bitWidth / 8
        guard offset >= 0, offset + width <= bytes.count else { return 0 }
        return bytes[offset..<(offset + width)].reversed().reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
    }
}

/// One key and what belongs to it, inside a branch or leaf page.
struct Node {
    static let headerBytes = 8
    static let bigData: UInt16 = 0x01
    static let subTree: UInt16 = 0x02

    let key: ArraySlice<UInt8>
    /// In a branch: the page below.
    let child: UInt64
    /// In a leaf: the size of the value.
    let dataSize: Int
    let dataOffset: Int
    let flags: UInt16

    init?(_ page: Page, index: Int) {
        let offset = Int(page.load(Page.headerBytes + index * 2) as UInt16)
        guard offset >= page.upper, offset + Self.headerBytes <= page.bytes.count else { return nil }
        let low: UInt16 = page.load(offset)
        let high: UInt16 = page.load(offset + 2)
        flags = page.load(offset + 4)
        let keySize = Int(page.load(offset + 6) as UInt16)
        let keyStart = offset + Self.headerBytes
        guard keySize <= 511, keyStart + keySize <= page.bytes.count else { return nil }
        key = page.bytes[keyStart..<(keyStart + keySize)]
        child = UInt64(low) | UInt64(high) << 16 | UInt64(flags) << 32
        dataSize = Int(UInt32(low) | UInt32(high) << 16)
        dataOffset = keyStart + keySize
    }
}

/// The root of one tree, as the meta page or the main tree records it.
struct TreeRecord {
    static let byteCount = 48
    static let emptyRoot = UInt64.max

    let flags: UInt16
    let depth: Int
    let branchPages: UInt64
    let leafPages: UInt64
    let overflowPages: UInt64
    let entries: UInt64
    let root: UInt64

    let isFreeList: Bool

    init(_ page: Page, at offset: Int, isFreeList: Bool = false) {
        self.isFreeList = isFreeList
        flags = page.load(offset + 4)
        depth = Int(page.load(offset + 6) as UInt16)
        branchPages = page.load(offset + 8)
        leafPages = page.load(offset + 16)
        overflowPages = page.load(offset + 24)
        entries = page.load(offset + 32)
        root = page.load(offset + 40)
    }

    var hasIntegerKeys: Bool { flags & 0x08 != 0 }

    /// Whether one key comes before another or equals it.
    func isOrdered(_ key: ArraySlice<UInt8>, _ next: ArraySlice<UInt8>) -> Bool {
        // Integers are little-endian: compared from their most significant byte they sort as numbers.
        hasIntegerKeys
            ? !next.reversed().lexicographicallyPrecedes(key.reversed())
            : !next.lexicographicallyPrecedes(key)
    }
}

/// A meta page: the roots, and how far the file goes.
struct Meta {
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
        guard last >= 1, last < 1 << 36 else { return nil }
        lastPage = Int(last)
        transaction = page.load(144)
    }
}
