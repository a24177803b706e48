/// Where a record lies and what must be known to remove it without reading it; the value in the index, 28 bytes.
struct IndexEntry: Sendable, Hashable {
    static let byteCount = 28

    /// The key of the record's first piece in the data.
    let sequence: UInt64
    let expires: WallTime
    /// Header, key and payload.
    let recordBytes: UInt32
    let instance: UInt32

    init(_ header: RecordHeader) {
        sequence = header.sequence
        expires = header.expires
        recordBytes = UInt32(header.recordBytes)
        instance = header.instance
    }

    /// Reads the entry of `hash`; `nil` if it is damaged, for a wrong one would remove the records of others.
    init?(_ bytes: RawSpan, hash: RecordHash, seed: HashSeed) {
        guard bytes.byteCount == Self.byteCount else { return nil }
        let check = Self.check(seed.keyed(by: hash).checksum(of: bytes.extracting(0..<24)))
        guard bytes.load(UInt32.self, at: 24) == check else { return nil }
        sequence = bytes.load(UInt64.self, at: 0)
        expires = WallTime(nanoseconds: bytes.load(Int64.self, at: 8))
        recordBytes = bytes.load(UInt32.self, at: 16)
        instance = bytes.load(UInt32.self, at: 20)
    }

    func encoded(hash: RecordHash, seed: HashSeed) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.byteCount)
        bytes.store(sequence, at: 0)
        bytes.store(expires.nanoseconds, at: 8)
        bytes.store(recordBytes, at: 16)
        bytes.store(instance, at: 20)
        bytes.store(Self.check(seed.keyed(by: hash).checksum(of: bytes[..<24])), at: 24)
        return bytes
    }

    private static func check(_ checksum: UInt64) -> UInt32 {
        UInt32(truncatingIfNeeded: checksum)
    }

    var pieces: Int { RecordPieces.count(Int(recordBytes)) }
}

/// How a record is cut into values of the data: one up to 256 KiB, pieces of sixteen pages above.
///
/// One value is one contiguous run of pages; long runs are hard to find in a file with holes, and short ones are not.
/// A record in pieces takes as many consecutive sequences.
enum RecordPieces {
    static let wholeLimit = 256 << 10
    /// Sixteen pages of 4096 bytes, less LMDB's page header.
    static let pieceBytes = 16 * 4096 - 16

    static func count(_ recordBytes: Int) -> Int {
        recordBytes <= wholeLimit ? 1 : (recordBytes + pieceBytes - 1) / pieceBytes
    }
}
