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
    /// The 64 bytes, checksum included.
    func encoded(seed: HashSeed) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.byteCount)
        bytes.store(contentChecksum, at: 8)
        bytes.store(sequence, at: 16)
        bytes.store(created.nanoseconds, at: 24)
        bytes.store(expires.nanoseconds, at: 32)
        bytes.store(cost, at: 40)
        bytes.store(keyLength, at: 48)
        bytes.store(payloadLength, at: 52)
        bytes.store(instance, at: 56)
        bytes.store(codec, at: 60)
        bytes[62] = Self.currentVersion
        bytes[63] = flags
        bytes.store(seed.checksum(of: bytes[8...]), at: 0)
        return bytes
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
