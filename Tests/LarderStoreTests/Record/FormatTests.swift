import TestSupport
import Testing

@testable import LarderStore

/// The bytes on the disk: a change here makes stores unreadable and needs a new format version.
struct FormatTests {
    private let seed = HashSeed(value: 0x0123_4567_89AB_CDEF)

    private var header: RecordHeader {
        RecordHeader(
            contentChecksum: seed.checksum(of: [1, 2, 3]),
            sequence: 7,
            created: WallTime(nanoseconds: 1_000),
            expires: WallTime(nanoseconds: -2),
            cost: 99,
            keyLength: 1,
            payloadLength: 2,
            instance: 5,
            codec: 0x0102,
            flags: 0
        )
    }

    @Test("A90 the header's bytes are what version 1 writes")
    func golden() {
        let bytes = header.encodedBytes(seed: seed)
        #expect(bytes.count == 64)
        #expect(
            Array(bytes[16...]) == [
                7, 0, 0, 0, 0, 0, 0, 0, 232, 3, 0, 0, 0, 0, 0, 0, 254, 255, 255, 255, 255, 255, 255, 255, 99, 0, 0, 0,
                0, 0,
                0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 5, 0, 0, 0, 2, 1, 1, 0,
            ]
        )
        #expect(bytes.load(UInt64.self, at: 0) == seed.checksum(of: bytes[8...]))
        // The published test vectors of XXH3 pin the hash: an empty input and seed 0.
        #expect(HashSeed(value: 0).checksum(of: []) == 0x2D06_8005_38D3_94C2)
    }

    @Test("L55 every single flipped bit of a header is noticed, and so is a header in another's place")
    func flippedBits() {
        let bytes = header.encodedBytes(seed: seed)
        #expect(read(bytes, at: 7) == header)
        #expect(read(bytes, at: 8) == nil)
        for bit in 0..<(64 * 8) {
            var damaged = bytes
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(read(damaged, at: 7) == nil, "bit \(bit)")
        }
        #expect(read(Array(bytes.dropLast()), at: 7) == nil)
        #expect(RecordHeader(bytes, sequence: 7, seed: HashSeed(value: 1)) == nil)
    }

    private func read(_ bytes: [UInt8], at sequence: UInt64) -> RecordHeader? {
        RecordHeader(bytes, sequence: sequence, seed: seed)
    }

    @Test("every single flipped bit of an index entry is noticed, and so is one of another hash")
    func indexEntry() {
        let hash = seed.hash(instance: 3, key: [1])
        let entry = IndexEntry(header)
        let bytes = entry.encodedBytes(hash: hash, seed: seed)
        #expect(IndexEntry(bytes, hash: hash, seed: seed) == entry)
        #expect(IndexEntry(bytes, hash: seed.hash(instance: 3, key: [2]), seed: seed) == nil)
        for bit in 0..<(IndexEntry.byteCount * 8) {
            var damaged = bytes
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(IndexEntry(damaged, hash: hash, seed: seed) == nil, "bit \(bit)")
        }
    }

    @Test("A89 hashes depend on seed, instance and key")
    func hashes() {
        let hash = seed.hash(instance: 1, key: [1, 2])
        #expect(hash == HashSeed(value: seed.value).hash(instance: 1, key: [1, 2]))
        #expect(hash != seed.hash(instance: 2, key: [1, 2]))
        #expect(hash != seed.hash(instance: 1, key: [1, 3]))
        #expect(hash != HashSeed(value: 5).hash(instance: 1, key: [1, 2]))
        #expect(seed.hash(instance: 1, key: []) != seed.hash(instance: 1, key: [0]))
    }

    @Test("the ledger comes back from its bytes, and damage or another version is told apart")
    func ledger() {
        var ledger = Ledger(seed: 9)
        ledger.register("täble", keyKind: "string", instance: 3)
        ledger.add(IndexEntry(header))
        ledger.dead = [8]
        ledger.orphans = [2]
        ledger.extensions["expiry"] = .init(id: 1, kind: "expiry", version: 1, fillEnd: 4, filledTo: 2)
        let bytes = ledger.encoded
        guard case .ledger(let read) = Ledger.read(bytes) else {
            Issue.record("the ledger was not read")
            return
        }
        #expect(read == ledger)
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= 4
            guard case .damaged = Ledger.read(damaged) else {
                Issue.record("damage at byte \(index) was not noticed")
                continue
            }
        }
        var body = Array(bytes[8...])
        body[0] = 1
        var other = [UInt8](repeating: 0, count: 8)
        other.store(HashSeed(value: 0).checksum(of: body), at: 0)
        guard case .otherVersion(1) = Ledger.read(other + body) else {
            Issue.record("the other version was not noticed")
            return
        }
    }
}

extension RecordHeader {
    /// From an array, as tests have it.
    fileprivate init?(_ bytes: [UInt8], sequence: UInt64, seed: HashSeed) {
        // Safety: bytes have no padding that could be read uninitialised.
        self.init(unsafe bytes.span.bytes, sequence: sequence, seed: seed)
    }
}

extension IndexEntry {
    fileprivate init?(_ bytes: [UInt8], hash: RecordHash, seed: HashSeed) {
        // Safety: bytes have no padding that could be read uninitialised.
        self.init(unsafe bytes.span.bytes, hash: hash, seed: seed)
    }
}
