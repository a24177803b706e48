import FoundationEssentials
import Testing

@testable import LarderStore

struct LentKeyTests {
    private func lent(_ key: some StoreKey) -> [UInt8] {
        key.withStoreKeyBytes { $0.array }
    }

    @Test(
        "a text lends the bytes it would make, also when they are not its own",
        arguments: [
            "", "a", "key:1234567", "exactly 8", "e\u{301}", "é", "1234567é", "한글", String(repeating: "k", count: 999),
        ]
    )
    func text(key: String) {
        #expect(lent(key) == key.storeKeyBytes)
        // A substring's own storage is not at its beginning.
        #expect(lent(String("x\(key)".dropFirst())) == key.storeKeyBytes)
    }

    @Test("equal texts lend equal bytes")
    func canonical() {
        #expect(lent("e\u{301}") == lent("\u{e9}"))
    }

    @Test("integers lend the bytes they would make")
    func integers() {
        for key in [Int.min, -1, 0, 1, 255, Int.max] { #expect(lent(key) == key.storeKeyBytes) }
        for key in [UInt16.min, 1, 256, UInt16.max] { #expect(lent(key) == key.storeKeyBytes) }
        for key in [Int8.min, -1, 0, Int8.max] { #expect(lent(key) == key.storeKeyBytes) }
    }

    @Test("bytes and identifiers lend theirs")
    func bytes() {
        let bytes: [UInt8] = [0, 255, 128, 7]
        #expect(lent(bytes) == bytes)
        #expect(lent(Data(bytes)) == bytes)
        let identifier = UUID()
        #expect(lent(identifier) == identifier.storeKeyBytes)
    }
}
