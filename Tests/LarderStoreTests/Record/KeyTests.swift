import FoundationEssentials
import LarderStore
import TestSupport
import Testing

struct KeyTests {
    private static let sizes = [0, 1, 255, 256, 510, 511, 512, 513, 4096, 65_536, 1_000_000, 1 << 20]

    @Test("L48 L49 A83 keys of any length come back with their values, and are enumerated whole", arguments: sizes)
    func length(size: Int) throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let table = try store.table("k", keyedBy: [UInt8].self, codec: .string)
        let key = pattern(size, count: size)
        let other = key + [0]
        try table.setValue("value", forKey: key)
        try table.setValue("other", forKey: other)
        #expect(table.value(forKey: key) == "value")
        try store.flush()
        #expect(table.value(forKey: key) == "value")
        #expect(table.value(forKey: other) == "other")
        #expect(Set(table.keys()) == [key, other])
        table.removeValue(forKey: key)
        try store.flush()
        #expect(table.value(forKey: key) == nil)
        #expect(table.value(forKey: other) == "other")
        try store.close()
    }

    @Test("A84 A87 keys with separators, NUL, controls and wide characters are kept as they are")
    func awkwardText() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let table = try store.table("k", keyedBy: String.self, codec: .string)
        let keys = [
            "", "%", "%25", "/", ".", "..", "a/b", " ", "\n", "\0", "a\0b", "a\0", "🦊", "👩‍👩‍👧‍👦",
            String(repeating: "漢", count: 171),
        ]
        for key in keys { try table.setValue("<\(key)>", forKey: key) }
        try store.flush()
        for key in keys { #expect(table.value(forKey: key) == "<\(key)>") }
        #expect(Set(table.keys()) == Set(keys))
        #expect(table.count == keys.count)
        try store.close()
    }

    @Test("A85 canonically equal strings are one key")
    func canonicalEquality() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let table = try store.table("k", keyedBy: String.self, codec: .string)
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        try table.setValue("coffee", forKey: composed)
        try store.flush()
        #expect(table.value(forKey: decomposed) == "coffee")
        table.removeValue(forKey: decomposed)
        try store.flush()
        #expect(table.value(forKey: composed) == nil)
        #expect(composed.storeKeyBytes == decomposed.storeKeyBytes)
        // Equal after decoding, whatever the marks and their order.
        for text in ["e\u{301}\u{323}", "\u{1100}\u{1161}\u{11A8}", "\u{2126}", "plain"] {
            #expect(String(storeKeyBytes: text.storeKeyBytes) == text)
        }
        try store.close()
    }

    @Test("integers keep their order in bytes and come back", arguments: [Int.min, -256, -1, 0, 1, 255, 256, .max])
    func integers(number: Int) {
        #expect(Int(storeKeyBytes: number.storeKeyBytes) == number)
        if number < .max {
            #expect(number.storeKeyBytes.lexicographicallyPrecedes((number + 1).storeKeyBytes))
        }
        #expect(Int(storeKeyBytes: [1, 2, 3]) == nil)
    }

    @Test("the other kinds of key come back, and refuse bytes of the wrong length")
    func otherKinds() {
        let id = UUID()
        #expect(UUID(storeKeyBytes: id.storeKeyBytes) == id)
        #expect(UUID(storeKeyBytes: [1]) == nil)
        #expect(Data(storeKeyBytes: Data([0, 1]).storeKeyBytes) == Data([0, 1]))
        #expect(UInt8(storeKeyBytes: UInt8(200).storeKeyBytes) == 200)
        #expect(Int8(storeKeyBytes: Int8(-3).storeKeyBytes) == -3)
        #expect(String(storeKeyBytes: [0xFF]) == nil)
        #expect(Int.storeKeyKind == Int64.storeKeyKind)
        #expect(Int.storeKeyKind != UInt.storeKeyKind)
    }

    @Test("a table is not opened again with another kind of key, nor under a name that cannot be")
    func kinds() throws {
        let fixture = try StoreFixture()
        var store = try fixture.open()
        _ = try store.table("t", keyedBy: String.self, codec: .string)
        try store.close()
        store = try fixture.open()
        let error = #expect(throws: StoreError.self) { try store.table("t", keyedBy: Int.self, codec: .string) }
        #expect(error?.code == .invalidTable)
        #expect(error?.message.contains("\"t\"") == true)
        for name in ["", String(repeating: "x", count: 256)] {
            let error = #expect(throws: StoreError.self) {
                try store.table(name, keyedBy: String.self, codec: .string)
            }
            #expect(error?.code == .invalidTable)
        }
        try store.close()
    }
}
