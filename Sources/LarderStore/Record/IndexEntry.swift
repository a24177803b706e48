/// Where a record lies and what must be known to remove it without reading it; the value in the index, 28 bytes.
struct IndexEntry: Sendable, Hashable {
    static let byteCount = 28

    /// The place of the record's beginning in the data.
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

    /// The 28 bytes in their order, without an array to hold them.
    struct Encoded: BitwiseCopyable {
        let sequence: UInt64
        let expires: Int64
        let recordBytes: UInt32
        let instance: UInt32
        var check: UInt32

        fileprivate init(_ entry: IndexEntry, hash: RecordHash, seed: HashSeed) {
            sequence = entry.sequence.littleEndian
            expires = entry.expires.nanoseconds.littleEndian
            recordBytes = entry.recordBytes.littleEndian
            instance = entry.instance.littleEndian
            check = 0
            // Safety: the fields leave no gaps, so every byte is initialised; the first 24 come before the check.
            let checksum = unsafe withUnsafeBytes(of: self) { bytes in
                unsafe seed.keyed(by: hash).checksum(of: UnsafeRawBufferPointer(rebasing: bytes[..<24]))
            }
            check = IndexEntry.check(checksum).littleEndian
        }
    }

    func encoded(hash: RecordHash, seed: HashSeed) -> Encoded {
        Encoded(self, hash: hash, seed: seed)
    }

    /// The 28 bytes as an array.
    func encodedBytes(hash: RecordHash, seed: HashSeed) -> [UInt8] {
        // Safety: there are no gaps between the fields, and padding after the last is not part of the size.
        unsafe withUnsafeBytes(of: encoded(hash: hash, seed: seed)) { unsafe Array($0) }
    }

    fileprivate static func check(_ checksum: UInt64) -> UInt32 {
        UInt32(truncatingIfNeeded: checksum)
    }

    var place: RecordPlace { RecordPlace(sequence) }

    var pieces: Int { RecordPieces.count(Int(recordBytes)) }
}

/// How a record is cut into values of the data: one up to 256 KiB, pieces of sixteen pages above.
///
/// One value is one contiguous run of pages; long runs are hard to find in a file with holes, and short ones are not.
/// A record in pieces takes the numbers of as many packs.
enum RecordPieces {
    static let wholeLimit = 256 << 10
    /// Sixteen pages of 4096 bytes, less LMDB's page header.
    static let pieceBytes = 16 * 4096 - 16

    static func count(_ recordBytes: Int) -> Int {
        recordBytes <= wholeLimit ? 1 : (recordBytes + pieceBytes - 1) / pieceBytes
    }
}
