import LarderMemory
import TestSupport
import Testing

struct CostTests {
    @Test("T6 T7 T36 A44 a set over the cost limit trims the oldest first before it returns")
    func oldestFirst() {
        let cache = MemoryCache<String, Int>(configuration: .init(costLimit: 10))
        cache.setValue(1, forKey: "a", cost: 4)
        cache.setValue(2, forKey: "b", cost: 4)
        #expect(cache.value(forKey: "a") == 1)
        cache.setValue(3, forKey: "c", cost: 4)
        #expect(cache.totalCost == 8)
        #expect(cache.entriesByRecency.map(\.key) == ["a", "c"])
    }

    @Test("costs given after many entries without count as if they had been there from the start")
    func late() {
        let cache = MemoryCache<Int, Int>()
        for key in 0..<100 { cache[key] = key }
        cache[3] = 4
        #expect(cache.totalCost == 0)
        cache.setValue(1, forKey: 3, cost: 7)
        cache.setValue(1, forKey: 4, cost: 5)
        #expect(cache.totalCost == 12)
        cache[3] = 5
        #expect(cache.totalCost == 5)
        cache.removeValue(forKey: 4)
        #expect(cache.totalCost == 0)
        cache.setValue(1, forKey: 200, cost: 2)
        cache.trim(toCostByCost: 1)
        #expect(!cache.contains(200))
        #expect(cache.count == 99)
        #expect(cache.totalCost == 0)
    }

    @Test("A44 with room for one, the older of two is gone at once")
    func roomForOne() {
        let cache = MemoryCache<String, Int>(configuration: .init(costLimit: 1))
        cache.setValue(1, forKey: "a", cost: 1)
        cache.setValue(2, forKey: "b", cost: 1)
        #expect(cache["a"] == nil)
        #expect(cache["b"] == 2)
    }

    @Test("T11 A24 A28 B4 the total follows replacement, removal and removeAll")
    func total() {
        let cache = MemoryCache<String, Int>(configuration: .init(costLimit: 9))
        cache.setValue(1, forKey: "k", cost: 5)
        cache.setValue(2, forKey: "k", cost: 3)
        #expect(cache.totalCost == 3)
        cache.setValue(3, forKey: "l", cost: 6)
        #expect(cache.totalCost == 9)
        cache.removeAll()
        #expect(cache.isEmptyNow)
        cache.setValue(4, forKey: "k", cost: 5)
        #expect(cache["k"] == 4)
        #expect(cache.totalCost == 5)
        cache.removeValue(forKey: "k")
        #expect(cache.totalCost == 0)
    }

    @Test("V44 A36 replacing with a higher cost evicts others, exactly as many as needed")
    func replaceWithHigherCost() {
        let cache = MemoryCache<Int, Int>(configuration: .init(costLimit: 50))
        for key in 0..<50 { cache.setValue(key, forKey: key, cost: 1) }
        cache.setValue(0, forKey: 0, cost: 41)
        #expect(cache.totalCost == 50)
        #expect(Set(cache.keys) == Set([0] + Array(41..<50)))
        cache.setValue(0, forKey: 0, cost: 50)
        #expect(cache.keys == [0])
    }

    @Test("A36 one entry too many costs one entry, not a share of the cache")
    func noOvershoot() {
        let cache = MemoryCache<Int, Int>(configuration: .init(costLimit: 10))
        for key in 0...10 { cache.setValue(key, forKey: key, cost: 1) }
        #expect(Set(cache.keys) == Set(1...10))
    }

    @Test("A19 V50 an entry costlier than the limit is refused and the old value under its key goes")
    func refusal() {
        let cache = MemoryCache<String, Int>(configuration: .init(costLimit: 100))
        cache.setValue(1, forKey: "k", cost: 10)
        cache.setValue(2, forKey: "other", cost: 10)
        cache.setValue(3, forKey: "k", cost: 101)
        #expect(cache["k"] == nil)
        #expect(cache["other"] == 2)
        #expect(cache.statistics.refusals == 1)
        #expect(cache.statistics.removals == [.evictedByCost: 1])
        cache.setValue(4, forKey: "k", cost: 100)
        #expect(cache.keys == ["k"])
    }

    @Test("V45 a limit of zero keeps nothing, not even what costs nothing", arguments: 0..<4)
    func zero(limit: Int) {
        var configuration = MemoryCacheConfiguration()
        switch limit {
        case 0: configuration.costLimit = 0
        case 1: configuration.countLimit = 0
        case 2: configuration.ageLimit = .zero
        default: configuration.idleLimit = .zero
        }
        let events = Recorder<String>()
        var hooks = MemoryCache<String, Int>.Hooks()
        hooks.didAdd = { _, _, _ in events.note("added") }
        hooks.didRemove = { _, _, _, _ in events.note("removed") }
        let cache = MemoryCache(configuration: configuration, hooks: hooks)
        cache.setValue(1, forKey: "k", cost: 0)
        #expect(cache["k"] == nil)
        #expect(cache.isEmptyNow)
        #expect(events.events.isEmpty)
        #expect(cache.statistics.refusals == 1)
    }

    @Test("V45 T12 lowering a limit to zero empties the cache", arguments: 0..<4)
    func loweringToZero(limit: Int) {
        let cache = MemoryCache<Int, Int>()
        for key in 0..<10 { cache.setValue(key, forKey: key) }
        switch limit {
        case 0: cache.costLimit = 0
        case 1: cache.countLimit = 0
        case 2: cache.ageLimit = .zero
        default: cache.idleLimit = .zero
        }
        #expect(cache.isEmptyNow)
    }

    @Test("A29 A30 without costs the count limit bounds; costs are in the caller's unit")
    func withoutCosts() {
        let cache = MemoryCache<Int, Int>(configuration: .init(costLimit: 10, countLimit: 20))
        for key in 0..<100 { cache.setValue(key, forKey: key) }
        #expect(cache.count == 20)
        #expect(cache.totalCost == 0)
        for key in 100..<200 { cache.setValue(key, forKey: key, cost: 1) }
        #expect(cache.totalCost == 10)
    }

    @Test("A43 costs of Int.max neither trap nor lie")
    func hugeCosts() {
        let cache = MemoryCache<Int, Int>()
        cache.setValue(1, forKey: 1, cost: .max)
        cache.setValue(2, forKey: 2, cost: .max)
        #expect(cache.count == 2)
        #expect(cache.totalCost == .max)
        cache.removeValue(forKey: 1)
        #expect(cache.totalCost == .max)
        cache.setValue(3, forKey: 3, cost: 1)
        cache.trim(toCostByCost: 1)
        #expect(cache.keys == [3])
        #expect(cache.totalCost == 1)
        cache.setValue(4, forKey: 4, cost: .max)
        cache.setValue(5, forKey: 5, cost: .max)
        cache.costLimit = .max
        #expect(cache.count == 3)
        cache.costLimit = .max - 1
        #expect(cache.isEmptyNow)
        cache.setValue(6, forKey: 6, cost: .max - 1)
        cache.setValue(7, forKey: 7, cost: .max - 1)
        #expect(cache.keys == [7])
    }

    @Test("A43 V51 limits beyond 32 bits are kept to the unit")
    func fiveGigabytes() {
        let limit = 5 << 30
        let cache = MemoryCache<Int, Int>(configuration: .init(costLimit: limit))
        for key in 0..<6 { cache.setValue(key, forKey: key, cost: 1 << 30) }
        #expect(cache.count == 5)
        #expect(cache.totalCost == limit)
        cache.setValue(6, forKey: 6, cost: limit + 1)
        #expect(cache[6] == nil)
        #expect(cache.count == 5)
    }

    @Test("A43 a negative cost counts as zero")
    func negativeCost() {
        let cache = MemoryCache<Int, Int>(configuration: .init(costLimit: 10))
        cache.setValue(1, forKey: 1, cost: 10)
        cache.setValue(2, forKey: 2, cost: -5)
        cache.setValue(3, forKey: 3, cost: .min)
        #expect(cache.totalCost == 10)
        #expect(cache.count == 3)
    }

    @Test("V41 A10 a burst of writes never overshoots, from one thread or eight")
    func burst() {
        let cache = MemoryCache<Int, Int>(configuration: .init(costLimit: 100 << 10, countLimit: 100))
        for key in 0..<100_000 {
            cache.setValue(key, forKey: key, cost: 1 << 10)
            if key.isMultiple(of: 997) { #expect(cache.count <= 100) }
        }
        #expect(cache.count == 100)
        let excesses = Recorder<Int>()
        #expect(
            threads(8) { thread in
                for number in 0..<2_000 {
                    cache.setValue(number, forKey: thread << 20 + number, cost: 1 << 10)
                    let count = cache.count
                    if count > 100 { excesses.note(count) }
                }
            }
        )
        #expect(excesses.events.isEmpty)
        cache.drain()
        #expect(cache.count == 100)
        #expect(cache.totalCost == 100 << 10)
    }

    @Test("A70 V42 endless distinct keys leave the memory of a small cache flat")
    func flatMemory() {
        #if DEBUG
            let count = 100_000
        #else
            let count = 1_000_000
        #endif
        let cache = MemoryCache<Int, Int>(configuration: .init(countLimit: 10))
        for key in 0..<1_000 { cache.setValue(key, forKey: key, expiration: .seconds(1_000)) }
        let bytes = cache.estimatedBytes
        for key in 0..<count { cache.setValue(key, forKey: key, expiration: .seconds(1_000)) }
        #expect(cache.keys.count == 10)
        #expect(cache.estimatedBytes == bytes)
    }

    @Test("A39 inserting in rising cost is linear")
    func risingCosts() {
        func fill(_ count: Int) -> Double {
            let cache = MemoryCache<Int, Int>(configuration: .init(costLimit: .max - 1))
            let start = threadSeconds()
            for key in 0..<count { cache.setValue(key, forKey: key, cost: key) }
            return threadSeconds() - start
        }
        _ = fill(1_000)
        let small = (0..<3).map { _ in fill(4_000) }.min() ?? 0
        let large = (0..<3).map { _ in fill(32_000) }.min() ?? 0
        // Eight times the work; quadratic would be sixty-four times.
        #expect(large < small * 32)
    }

    @Test("V49 an entry without cost is not evicted for cost before those that have some help")
    func zeroCostEntries() {
        let cache = MemoryCache<Int, Int>(configuration: .init(costLimit: 10))
        cache.setValue(0, forKey: 0, cost: 0)
        for key in 1...20 { cache.setValue(key, forKey: key, cost: 1) }
        #expect(cache.totalCost == 10)
        // It was the least recently used, so it went first: only use keeps an entry.
        #expect(cache[0] == nil)
        cache.setValue(0, forKey: 0, cost: 0)
        for key in 21...100 {
            cache.setValue(key, forKey: key, cost: 1)
            #expect(cache[0] == 0)
        }
    }
}
