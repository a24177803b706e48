internal import CXXHash

/// What a record is found by: a seeded 128-bit hash of its table and key.
///
/// Two keys with one hash never share a value: the key is stored in full and compared. Its bytes in memory are the key in
/// the index, so its layout is part of the file format.
struct RecordHash: Hashable, Sendable, BitwiseCopyable {
    static let zero = RecordHash(low: 0, high: 0)

    let low: UInt64
    let high: UInt64

    func hash(into hasher: inout Hasher) {
        // The bits are well mixed already.
        hasher.combine(low)
    }

    /// What a `Dictionary` takes: the mixed bits themselves, for to mix them again costs more than the rest of a look-up.
    func _rawHashValue(seed: Int) -> Int {
        Int(truncatingIfNeeded: low) ^ seed
    }
}

/// The store's own seed for hashes and checksums, so that no outsider can choose keys that collide.
struct HashSeed: Sendable, Hashable {
    let value: UInt64

    /// The hash of a key in one instance of a table.
    func hash(instance: UInt32, key: [UInt8]) -> RecordHash {
        // Safety: bytes have no padding.
        unsafe hash(instance: instance, key: key.span.bytes)
    }

    /// The hash of a key in one instance of a table.
    func hash(instance: UInt32, key: RawSpan) -> RecordHash {
        // The odd constant spreads neighbouring instances over the range of seeds.
        let seed = value ^ (UInt64(instance) &* 0x9E37_79B9_7F4A_7C15)
        let hash = unsafe key.withUnsafeBytes { unsafe XXH3_128bits_withSeed($0.baseAddress, $0.count, seed) }
        return RecordHash(low: hash.low64.littleEndian, high: hash.high64.littleEndian)
    }

    /// The checksum of some bytes.
    // Safety: the caller keeps the bytes in place during the call.
    @unsafe
    func checksum(of bytes: UnsafeRawBufferPointer) -> UInt64 {
        unsafe XXH3_64bits_withSeed(bytes.baseAddress, bytes.count, value)
    }

    /// The checksum of some bytes.
    func checksum(of bytes: RawSpan) -> UInt64 {
        unsafe bytes.withUnsafeBytes { unsafe XXH3_64bits_withSeed($0.baseAddress, $0.count, value) }
    }

    /// The checksum of some bytes.
    func checksum(of bytes: [UInt8]) -> UInt64 {
        checksum(of: bytes[...])
    }

    /// The checksum of some bytes.
    func checksum(of bytes: ArraySlice<UInt8>) -> UInt64 {
        unsafe bytes.withUnsafeBytes { unsafe XXH3_64bits_withSeed($0.baseAddress, $0.count, value) }
    }

    /// A seed of one record's own.
    func keyed(by hash: RecordHash) -> HashSeed {
        HashSeed(value: value ^ hash.low)
    }
}
