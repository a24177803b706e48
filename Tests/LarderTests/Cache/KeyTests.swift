import Larder
import LarderMemory
import LarderStore
import Testing

struct KeyTests {
    @Test("A85 canonically equal strings are one key in both tiers")
    func canonicallyEqual() throws {
        let fixture = try CacheFixture()
        let cache = try fixture.open()
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        cache.setValue("v", forKey: composed)
        cache.removeAll(in: .memory)
        #expect(cache.value(forKey: decomposed) == "v")
        cache.removeValue(forKey: decomposed)
        #expect(cache.value(forKey: composed, in: .memory) == nil)
        #expect(cache.value(forKey: composed, in: .disk) == nil)
        try cache.close()
    }

    @Test(
        "A83 A84 A87 unusual keys work in both tiers",
        arguments: [
            "", "%", "%25", "/", ".", "..", "a/b", " ", "\n", "\0", "a\0b", "😀", String(repeating: "k", count: 511),
            String(repeating: "k", count: 512), String(repeating: "漢", count: 171),
            String(repeating: "k", count: 1_000_000),
        ]
    )
    func unusual(key: String) throws {
        let fixture = try CacheFixture()
        let cache = try fixture.open()
        cache.setValue("value", forKey: key)
        #expect(cache.value(forKey: key, in: .memory) == "value")
        #expect(cache.value(forKey: key, in: .disk) == "value")
        try cache.flush()
        cache.removeAll(in: .memory)
        #expect(cache.value(forKey: key) == "value")
        cache.removeValue(forKey: key)
        #expect(!cache.contains(key))
        try cache.close()
    }

    @Test("empty values and values with NUL bytes work")
    func values() throws {
        let fixture = try CacheFixture()
        let cache = try fixture.open()
        cache.setValue("", forKey: "empty")
        cache.setValue("a\0b", forKey: "nul")
        try cache.flush()
        cache.removeAll(in: .memory)
        #expect(cache.value(forKey: "empty") == "")
        #expect(cache.value(forKey: "nul") == "a\0b")
        try cache.close()
    }
}
