import Testing

@testable import LarderMemory

struct KeyHashTests {
    private let hasher = KeyHash(first: 0x6A09_E667_F3BC_C908, second: 0xBB67_AE85_84CA_A73B)

    private static var scalars: some Sequence<Unicode.Scalar> {
        (0...0x10FFFF as ClosedRange<UInt32>).lazy.compactMap { Unicode.Scalar($0) }
    }

    @Test("A85 all scalars that are canonically equal to another hash equally")
    func scalars() {
        // String's own equality finds the equal ones; no list of them is relied on.
        var hashes: [String: UInt64] = [:]
        hashes.reserveCapacity(1_200_000)
        var equals = 0
        for scalar in Self.scalars {
            let text = String(Character(scalar))
            let hash = hasher.hash(text)
            if let other = hashes.updateValue(hash, forKey: text) {
                equals += 1
                if other != hash { Issue.record("U+\(String(scalar.value, radix: 16)) hashes unlike its equal") }
            }
        }
        // Of the characters with singleton decompositions there are about a thousand.
        #expect(equals > 900)
    }

    @Test("A85 a scalar that equals an ASCII character hashes like it in the middle of a text")
    func asciiEquals() {
        let ascii = Dictionary(
            uniqueKeysWithValues: (0..<128).map { (String(Character(Unicode.Scalar(UInt8($0)))), $0) }
        )
        var equals = 0
        for scalar in Self.scalars where !scalar.isASCII {
            guard let code = ascii[String(Character(scalar))] else { continue }
            equals += 1
            let plain = String(Character(Unicode.Scalar(UInt8(code))))
            for (prefix, suffix) in [
                ("", ""), ("key:", ""), ("", ":0123456789"), ("a longer text before, ", " and after"),
            ] {
                let text = "\(prefix)\(Character(scalar))\(suffix)"
                let equal = "\(prefix)\(plain)\(suffix)"
                #expect(text == equal)
                #expect(hasher.hash(text) == hasher.hash(equal), "U+\(String(scalar.value, radix: 16))")
            }
        }
        #expect(equals == 3)
    }

    @Test("A85 composed and decomposed texts hash equally")
    func composition() {
        let pairs = [
            ("caf\u{E9}", "cafe\u{301}"), ("\u{1E69}", "s\u{323}\u{307}"), ("\u{1E69}", "s\u{307}\u{323}"),
            ("\u{AC01}", "\u{1100}\u{1161}\u{11A8}"), ("\u{212B}", "A\u{30A}"), ("\u{2126}", "\u{3A9}"),
        ]
        for (left, right) in pairs {
            #expect(left == right)
            #expect(hasher.hash(left) == hasher.hash(right), "\(left)")
        }
    }

    @Test("texts of every length hash by every byte and by their length")
    func lengths() {
        var hashes: Set<UInt64> = []
        var count = 0
        for length in 0...100 {
            let zeros = [UInt8](repeating: 0, count: length)
            hashes.insert(hasher.hash(String(decoding: zeros, as: UTF8.self)))
            count += 1
            for position in 0..<length {
                for bit in [0, 6] as [UInt8] {
                    var bytes = zeros
                    bytes[position] = 1 << bit
                    hashes.insert(hasher.hash(String(decoding: bytes, as: UTF8.self)))
                    count += 1
                }
            }
        }
        #expect(hashes.count == count)
    }

    @Test("a substring's copy hashes like the same text made otherwise")
    func storage() {
        let text = "a text that is long enough to be stored outside"
        for end in 0...text.utf8.count {
            let copy = String(text.prefix(end))
            let bytes = String(decoding: Array(text.utf8.prefix(end)), as: UTF8.self)
            #expect(hasher.hash(copy) == hasher.hash(bytes))
        }
    }

    @Test(
        "keys in sequence spread over the lower bits as evenly as random ones",
        arguments: [1, 2, 64, 4096, 1 << 20, 1 << 32, 1 << 48]
    )
    func spread(stride: Int) {
        let buckets = 1024
        let keys = 32 * buckets
        let texts = (0..<keys).map { hasher.hash("user:\($0 &* stride):session") }
        let numbers = (0..<keys).map { hasher.hash($0 &* stride) }
        let pointers = (0..<keys).map { hasher.hash(UInt64(bitPattern: Int64($0 &* stride))) }
        for (kind, hashes) in [("texts", texts), ("numbers", numbers), ("pointers", pointers)] {
            for shift in [0, 32, 54] as [UInt64] {
                var counts = [Int](repeating: 0, count: buckets)
                for hash in hashes { counts[Int(hash >> shift & UInt64(buckets - 1))] += 1 }
                // Chi squared over 1,023 degrees of freedom: 1,023 on average, with a deviation of 45.
                let chi = counts.reduce(0.0) { $0 + (Double($1) - 32) * (Double($1) - 32) / 32 }
                let distinct = Set((0..<keys).map { $0 &* stride }).count
                if distinct == keys { #expect(chi < 1023 + 8 * 45, "\(kind), bits from \(shift): \(chi)") }
            }
        }
    }

    @Test("with other secret words, other keys collide")
    func seeds() {
        let other = KeyHash()
        let mask: UInt64 = 0xFFF
        let colliding = (0..<200_000).filter { hasher.hash($0) & mask == 0 }
        #expect((25...80).contains(colliding.count))
        let bucketsElsewhere = Set(colliding.map { other.hash($0) & mask })
        #expect(bucketsElsewhere.count > 20)
        #expect(KeyHash().hash("key") != KeyHash().hash("key"))
    }
}
