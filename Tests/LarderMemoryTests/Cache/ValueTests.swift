import LarderMemory
import Testing

struct ValueTests {
    @Test("T34 T35 a value that was set is read back")
    func setAndGet() {
        let cache = MemoryCache<String, Int>()
        cache.setValue(1, forKey: "a")
        cache["b"] = 2
        #expect(cache.value(forKey: "a") == 1)
        #expect(cache["b"] == 2)
        #expect(cache["c"] == nil)
        #expect(cache.count == 2)
    }

    @Test("T37 A24 B4 replacing an entry replaces its cost; removing it hands it over")
    func replaceCost() {
        let cache = MemoryCache<String, Int>()
        cache.setValue(1, forKey: "k", cost: 10)
        cache.setValue(2, forKey: "k", cost: 3)
        #expect(cache.totalCost == 3)
        #expect(cache.removeValue(forKey: "k") == 2)
        #expect(cache.totalCost == 0)
    }

    @Test("A60 a thousand sets in one tick keep their order")
    func sameTick() {
        let cache = MemoryCache<Int, Int>(clock: .manual(ManualClock()))
        for key in 0..<1000 { cache[key] = key }
        cache.trim(toCount: 10)
        #expect(Set(cache.keys) == Set(990..<1000))
    }

    @Test("A37 the newest survive")
    func newestSurvive() {
        let cache = MemoryCache<Int, Int>(configuration: .init(countLimit: 3))
        for key in 0...5 { cache[key] = key }
        #expect(Set(cache.keys) == [3, 4, 5])
    }

    @Test("A85 canonically equal strings are one key")
    func canonical() {
        let cache = MemoryCache<String, Int>()
        cache["caf\u{E9}"] = 1
        #expect(cache["cafe\u{301}"] == 1)
        cache["\u{212A}"] = 2
        #expect(cache["K"] == 2)
    }
}
