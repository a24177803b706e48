/// How much of a pack has died, kept for packs of which some has; the value in the packs, 8 bytes.
struct PackWaste: Sendable, Hashable {
    /// The bytes of records that nothing points to any more.
    let bytes: Int

    init(bytes: Int) {
        self.bytes = bytes
    }

    /// Reads the waste of a pack; `nil` if it is damaged, for a wrong one would give up records that live.
    init?(_ encoded: RawSpan, pack: UInt64, seed: HashSeed) {
        guard encoded.byteCount == MemoryLayout<Encoded>.size else { return nil }
        bytes = Int(encoded.load(UInt32.self, at: 0))
        guard encoded.load(UInt32.self, at: 4) == check(pack, seed) else { return nil }
    }

    /// The bytes and a check of them, both little-endian.
    struct Encoded: BitwiseCopyable {
        fileprivate let bytes: UInt32
        fileprivate let check: UInt32
    }

    func encoded(pack: UInt64, seed: HashSeed) -> Encoded {
        Encoded(bytes: UInt32(bytes).littleEndian, check: check(pack, seed).littleEndian)
    }

    /// The 8 bytes as an array.
    func encodedBytes(pack: UInt64, seed: HashSeed) -> [UInt8] {
        // Safety: there are no gaps between the fields.
        unsafe withUnsafeBytes(of: encoded(pack: pack, seed: seed)) { unsafe Array($0) }
    }

    private func check(_ pack: UInt64, _ seed: HashSeed) -> UInt32 {
        let fields = (pack.littleEndian, UInt64(bytes).littleEndian)
        // Safety: there are no gaps between the numbers.
        let checksum = unsafe withUnsafeBytes(of: fields) { unsafe seed.checksum(of: $0) }
        return UInt32(truncatingIfNeeded: checksum)
    }
}
