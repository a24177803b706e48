import TestSupport
import Testing

@testable import LarderStore

struct PackFormatTests {
    private let seed = HashSeed(value: 5)

    @Test("a place and its sequence stand for each other, up to the last ones there are, in the order of writing")
    func places() {
        let numbers: [UInt64] = [0, 1, 2, RecordPlace.packLimit - 1]
        let places = numbers.flatMap { pack in
            [0, 1, 4_096, RecordPlace.lastOffset].map { RecordPlace(pack: pack, offset: $0) }
        }
        for place in places { #expect(RecordPlace(place.sequence) == place) }
        #expect(places.map(\.sequence) == places.map(\.sequence).sorted())
        #expect(places.last?.sequence == .max)
        #expect(PackLayout.limit <= RecordPlace.lastOffset)
        #expect(Ledger.firstSequence > 0)
    }

    // MARK: Layout

    /// The space of a record or pack, as LMDB allots it: a share of a leaf full of its like, or pages of its own.
    private func space(_ bytes: Int) -> Int {
        bytes <= 2_022 ? 4_096 / (4_080 / (bytes + 18)) : (bytes + 16 + 4_095) / 4_096 * 4_096
    }

    private func packs(_ sizes: [Int]) -> [Int] {
        var start = 0
        return PackLayout.cut(sizes).map { count in
            defer { start += count }
            return sizes[start..<(start + count)].reduce(0, +)
        }
    }

    @Test(
        "a transaction's records fill pages of their own, and what would leave one half empty goes into leaves",
        arguments: [
            ([], []), ([100], [1]), ([1_098], [1]), ([1_098, 1_098], [1, 1]),
            ([3_000, 100], [2]), ([3_000, 1_000], [2]),
            (Array(repeating: 1_098, count: 7), [7]),
            (Array(repeating: 1_098, count: 31), [29, 1, 1]),
            (Array(repeating: 174, count: 11), [11]), (Array(repeating: 174, count: 13), [11, 2]),
            (Array(repeating: 174, count: 200), [188, 11, 1]), (Array(repeating: 1_098, count: 36), [29, 7]),
            ([PackLayout.limit, PackLayout.limit], [1, 1]), ([20_000, 20_000, 5_000], [1, 2]),
        ] as [([Int], [Int])]
    )
    func cut(sizes: [Int], counts: [Int]) {
        #expect(PackLayout.cut(sizes) == counts)
    }

    @Test("any records are cut into packs that fit, in less space on the whole than each by itself takes")
    func cutAnything() {
        var random = SeededRandom.printingSeed()
        var total = (together: 0, alone: 0)
        for _ in 0..<2_000 {
            let most = [200, 1_500, 6_000, PackLayout.limit].randomElement(using: &random)!
            let sizes = (0..<Int.random(in: 0..<300, using: &random)).map { _ in
                Int.random(in: RecordHeader.byteCount...most, using: &random)
            }
            #expect(PackLayout.cut(sizes).reduce(0, +) == sizes.count)
            let packs = packs(sizes)
            #expect(packs.reduce(0, +) == sizes.reduce(0, +))
            #expect(packs.allSatisfy { (1...PackLayout.limit).contains($0) })
            let (together, alone) = (packs.reduce(0) { $0 + space($1) }, sizes.reduce(0) { $0 + space($1) })
            #expect(together <= alone + 4_096 * packs.count, "\(sizes)")
            total = (total.together + together, total.alone + alone)
        }
        // Single transactions may lose part of a page each; on the whole much is won.
        #expect(total.together * 100 < total.alone * 97, "\(total)")
    }

    // MARK: Waste

    @Test("every single flipped bit of a count of dead bytes is noticed, and so is one of another pack")
    func waste() {
        let waste = PackWaste(bytes: 30_000)
        let bytes = waste.encodedBytes(pack: 9, seed: seed)
        #expect(read(bytes, pack: 9) == waste)
        #expect(read(bytes, pack: 8) == nil)
        #expect(read(Array(bytes.dropLast()), pack: 9) == nil)
        #expect(read([], pack: 9) == nil)
        for bit in 0..<64 {
            var damaged = bytes
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(read(damaged, pack: 9) == nil, "bit \(bit)")
        }
    }

    private func read(_ bytes: [UInt8], pack: UInt64) -> PackWaste? {
        // Safety: bytes have no padding.
        PackWaste(unsafe bytes.span.bytes, pack: pack, seed: seed)
    }

    // MARK: Walking

    private static let sizes = [0, 10, 300, 1, 2_000, 64]

    /// The bytes of a pack with records of some sizes, and where each begins.
    private func pack(_ number: UInt64, _ sizes: [Int] = sizes) -> (bytes: [UInt8], offsets: [Int]) {
        var (bytes, offsets): ([UInt8], [Int]) = ([], [])
        for size in sizes {
            let header = RecordHeader(
                contentChecksum: 0,
                sequence: RecordPlace(pack: number, offset: bytes.count).sequence,
                created: .never,
                expires: .never,
                cost: 0,
                keyLength: 0,
                payloadLength: UInt32(size),
                codec: 1
            )
            offsets.append(bytes.count)
            bytes += header.encodedBytes(seed: seed) + pattern(size, count: size)
        }
        return (bytes, offsets)
    }

    private func walk(_ bytes: [UInt8], _ number: UInt64) -> (offsets: [Int], gaps: Int) {
        // Safety: bytes have no padding.
        let walk = PackWalk(unsafe bytes.span.bytes, pack: number, seed: seed)
        return (walk.headers.map { RecordPlace($0.sequence).offset }, walk.gaps)
    }

    @Test("a pack is walked record by record, and none is found under another number")
    func walkWhole() {
        let (bytes, offsets) = pack(4)
        #expect(walk(bytes, 4) == (offsets, 0))
        #expect(walk(bytes, 5) == ([], 1))
        #expect(walk([], 4) == ([], 0))
    }

    @Test("L55 a damaged header hides its own record only", arguments: sizes.indices)
    func walkDamaged(index: Int) {
        let (bytes, offsets) = pack(4)
        for bit in [0, 7, 8 * 8, 16 * 8 + 3, 52 * 8 + 1, 55 * 8 + 7, 63 * 8] {
            var damaged = bytes
            damaged[offsets[index] + bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(walk(damaged, 4) == (offsets.enumerated().filter { $0.offset != index }.map(\.element), 1))
        }
    }

    @Test("a header in a value is a record only where it says it lies")
    func walkImpostor() {
        var (bytes, offsets) = pack(4, [500, 100])
        let impostor = pack(4).bytes
        bytes.replaceSubrange(100..<164, with: impostor[..<64])
        bytes[0] ^= 1
        #expect(walk(bytes, 4) == ([offsets[1]], 1))
    }

    @Test("L59 what is cut off or garbage is a gap, never a crash")
    func walkGarbage() {
        let (bytes, offsets) = pack(4)
        for length in 0..<bytes.count {
            let found = walk(Array(bytes[..<length]), 4)
            let ends = offsets.dropFirst() + [bytes.count]
            #expect(found.offsets == zip(offsets, ends).filter { $0.1 <= length }.map(\.0))
            #expect(found.gaps == (length == 0 || ends.contains(length) ? 0 : 1))
        }
        for number in 0..<200 {
            #expect(walk(pattern(number, count: number * 7), 4) == ([], number == 0 ? 0 : 1))
        }
        #expect(walk([UInt8](repeating: 0, count: 70_000), 4) == ([], 1))
    }
}
