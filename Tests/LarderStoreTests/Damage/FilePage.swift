import Testing

/// A page of a data file that says it is one, in use or not.
struct FilePage {
    enum Kind: Int {
        case branch = 1
        case leaf = 2
        case overflow = 4
    }

    static let byteCount = 4096

    /// Where in the file it begins.
    let start: Int
    let kind: Kind
    /// The size of the key that its last node has, which tells the trees apart; zero for a page without nodes.
    let keyBytes: Int

    var range: Range<Int> { start..<(start + Self.byteCount) }

    /// Nothing but the index has keys of 16 bytes.
    var isOfIndex: Bool { keyBytes == 16 }

    /// The pages of the file in their order, the meta pages left out.
    static func all(in bytes: [UInt8]) -> [FilePage] {
        stride(from: 2 * byteCount, to: bytes.count, by: byteCount).compactMap { FilePage(bytes, $0) }
    }

    private init?(_ bytes: [UInt8], _ start: Int) {
        func number(_ offset: Int) -> Int { Int(bytes[start + offset]) | Int(bytes[start + offset + 1]) << 8 }
        // What lies inside of a value can look like anything, but hardly by its own number.
        guard let kind = Kind(rawValue: number(10)), number(0) | number(2) << 16 == start / Self.byteCount else {
            return nil
        }
        (self.start, self.kind) = (start, kind)
        let lower = number(12)
        guard kind != .overflow, (18...Self.byteCount).contains(lower) else {
            keyBytes = 0
            return
        }
        let node = number(lower - 2)
        keyBytes = node <= Self.byteCount - 8 ? number(node + 6) : 0
    }
}

extension StoreFixture {
    /// Changes the data file of the closed store as the disk itself does: without a trace in its times.
    func rot(_ body: (inout [UInt8]) -> Void) throws {
        let data = path + "/data.mdb"
        let times = try #require(Files.times(data))
        var bytes = try #require(Files.read(data))
        body(&bytes)
        #expect(Files.truncate(data, to: bytes.count) && Files.overwrite(data, at: 0, with: bytes))
        #expect(Files.setTimes(data, times))
    }
}
