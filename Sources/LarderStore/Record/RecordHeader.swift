/// The 64 bytes in front of each record; all numbers are little-endian.
///
///      0  checksum of bytes 8..<64        40  cost
///      8  checksum of key and payload     48  length of the key
///     16  sequence                        52  length of the payload
///     24  created, nanoseconds            56  table instance
///     32  expires, nanoseconds            60  codec, format version, flags (2 + 1 + 1 bytes)
///
/// The sequence and the instance are there so that an intact record in the wrong place (a stale page) is noticed too.
@usableFromInline
struct RecordHeader: Sendable, Hashable {
    static let byteCount = 64
    static let currentVersion: UInt8 = 1

    /// Of the flags: the payload is compressed.
    private static let compressedFlag: UInt8 = 1

    var contentChecksum: UInt64
    var sequence: UInt64 = 0
    var created: WallTime
    var expires: WallTime
    var cost: Int64
    var keyLength: UInt32
    var payloadLength: UInt32
    var instance: UInt32 = 0
    @usableFromInline var codec: UInt16
    var flags: UInt8 = 0

    /// Whether the payload is a Zstandard frame: a property of each record, so that a setting can change at any time.
    var isCompressed: Bool {
        get { flags & Self.compressedFlag != 0 }
        set { flags = newValue ? flags | Self.compressedFlag : flags & ~Self.compressedFlag }
    }

    /// The bytes of the whole record: header, key and payload.
    var recordBytes: Int { Self.byteCount + contentBytes }

    /// The bytes of key and payload.
    var contentBytes: Int { Int(keyLength) + Int(payloadLength) }
}

extension RecordHeader {
    /// The 64 bytes in their order, without an array to hold them.
    struct Encoded: BitwiseCopyable {
        var checksum: UInt64
        let contentChecksum: UInt64
        let sequence: UInt64
        let created: Int64
        let expires: Int64
        let cost: Int64
        let keyLength: UInt32
        let payloadLength: UInt32
        let instance: UInt32
        let codec: UInt16
        let version: UInt8
        let flags: UInt8

        fileprivate init(_ header: RecordHeader, seed: HashSeed) {
            checksum = 0
            contentChecksum = header.contentChecksum.littleEndian
            sequence = header.sequence.littleEndian
            created = header.created.nanoseconds.littleEndian
            expires = header.expires.nanoseconds.littleEndian
            cost = header.cost.littleEndian
            keyLength = header.keyLength.littleEndian
            payloadLength = header.payloadLength.littleEndian
            instance = header.instance.littleEndian
            codec = header.codec.littleEndian
            version = RecordHeader.currentVersion
            flags = header.flags
            // Safety: the fields leave no gaps, so every byte is initialised; the last 56 follow the checksum.
            checksum = unsafe withUnsafeBytes(of: self) { bytes in
                unsafe seed.checksum(of: UnsafeRawBufferPointer(rebasing: bytes[8...])).littleEndian
            }
        }
    }

    /// The 64 bytes, checksum included.
    func encoded(seed: HashSeed) -> Encoded {
        Encoded(self, seed: seed)
    }

    /// The 64 bytes as an array.
    func encodedBytes(seed: HashSeed) -> [UInt8] {
        // Safety: there are no gaps between the fields.
        unsafe withUnsafeBytes(of: encoded(seed: seed)) { unsafe Array($0) }
    }

    /// The sequence a header at an offset says it has; the whole header must be in bounds.
    static func sequence(in bytes: RawSpan, at offset: Int) -> UInt64 {
        bytes.load(UInt64.self, at: offset + 16)
    }

    /// Reads a header; `nil` if the bytes are too few, damaged, of another version, or belong to another place.
    init?(_ bytes: RawSpan, sequence expected: UInt64, seed: HashSeed) {
        guard bytes.byteCount >= Self.byteCount else { return nil }
        let own = bytes.extracting(8..<Self.byteCount)
        guard bytes.load(UInt64.self, at: 0) == seed.checksum(of: own) else { return nil }
        guard bytes.load(UInt8.self, at: 62) == Self.currentVersion else { return nil }
        contentChecksum = bytes.load(UInt64.self, at: 8)
        sequence = bytes.load(UInt64.self, at: 16)
        created = WallTime(nanoseconds: bytes.load(Int64.self, at: 24))
        expires = WallTime(nanoseconds: bytes.load(Int64.self, at: 32))
        cost = bytes.load(Int64.self, at: 40)
        keyLength = bytes.load(UInt32.self, at: 48)
        payloadLength = bytes.load(UInt32.self, at: 52)
        instance = bytes.load(UInt32.self, at: 56)
        codec = bytes.load(UInt16.self, at: 60)
        flags = bytes.load(UInt8.self, at: 63)
        guard sequence == expected, flags & ~Self.compressedFlag == 0 else { return nil }
    }
}

extension RawSpan {
    /// A little-endian number at any offset, which must be in bounds.
    func load<Number: FixedWidthInteger & BitwiseCopyable>(_: Number.Type, at offset: Int) -> Number {
        // Safety: every bit pattern is a number, the access is unaligned and bounds are checked.
        Number(littleEndian: unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: Number.self))
    }

    /// The bytes as an array.
    var array: [UInt8] {
        // Safety: the bytes are copied while the span lives.
        unsafe withUnsafeBytes { unsafe Array($0) }
    }
}

extension [UInt8] {
    /// A little-endian number at any offset, which must be in bounds.
    func load<Number: FixedWidthInteger>(_: Number.Type, at offset: Int) -> Number {
        self[offset..<(offset + Number.bitWidth / 8)].reversed().reduce(0) {
            $0 << 8 | Number(truncatingIfNeeded: $1)
        }
    }

    /// Overwrites the bytes at an offset with a little-endian number.
    mutating func store<Number: FixedWidthInteger>(_ number: Number, at offset: Int) {
        for index in 0..<(Number.bitWidth / 8) {
            self[offset + index] = UInt8(truncatingIfNeeded: number >> Number(index * 8))
        }
    }

    /// Appends a big-endian number, which sorts by value.
    mutating func appendBigEndian<Number: FixedWidthInteger>(_ number: Number) {
        for index in (0..<(Number.bitWidth / 8)).reversed() {
            append(UInt8(truncatingIfNeeded: number >> Number(index * 8)))
        }
    }
}
