import LarderMemory
import TestSupport
import Testing

struct TrimTests {
    @Test("T4 T29 T38 trimming by date removes what was not used since")
    func byDate() {
        let clock = ManualClock()
        let cache = MemoryCache<Int, Int>(clock: .manual(clock))
        for key in 0..<4 {
            cache[key] = key
            clock.advance(by: .seconds(10))
        }
        let instant = clock.now
        #expect(cache[1] == 1)
        #expect(cache.contains(0))
        clock.advance(by: .seconds(1))
        cache[3] = 33
        cache.trim(unusedSince: instant)
        #expect(Set(cache.keys) == [1, 3])
        cache.trim(unusedSince: clock.now.advanced(by: .seconds(-1_000)))
        #expect(cache.count == 2)
        cache.trim(unusedSince: clock.now.advanced(by: .seconds(1)))
        #expect(cache.isEmptyNow)
    }

    @Test("T30 T39 trimming by cost removes the costliest first, of equal ones the oldest")
    func byCost() {
        let cache = MemoryCache<String, Int>()
        for (key, cost) in [("a", 3), ("b", 5), ("c", 5), ("d", 1), ("e", 3)] {
            cache.setValue(cost, forKey: key, cost: cost)
        }
        #expect(cache["b"] == 5)
        cache.trim(toCostByCost: 12)
        #expect(Set(cache.keys) == ["a", "b", "d", "e"])
        cache.trim(toCostByCost: 4)
        #expect(Set(cache.keys) == ["d", "e"])
        cache.trim(toCostByCost: 4)
        #expect(cache.count == 2)
        cache.trim(toCostByCost: 0)
        #expect(cache.isEmptyNow)
    }

    @Test("T31 T40 trimming to a cost removes the least recently used first")
    func toCost() {
        let cache = MemoryCache<String, Int>()
        for key in ["a", "b", "c"] { cache.setValue(1, forKey: key, cost: 1) }
        #expect(cache["a"] == 1)
        cache.trim(toCost: 2)
        #expect(cache.entriesByRecency.map(\.key) == ["c", "a"])
        cache.trim(toCost: 2)
        #expect(cache.count == 2)
        cache.trim(toCost: 1)
        #expect(cache.keys == ["a"])
    }

    @Test("A41 costs 1, older, and 2: by cost leaves the 1, by date removes both")
    func tumblrsOwnCase() {
        func filled() -> MemoryCache<String, Int> {
            let cache = MemoryCache<String, Int>()
            cache.setValue(1, forKey: "one", cost: 1)
            cache.setValue(2, forKey: "two", cost: 2)
            return cache
        }
        let byCost = filled()
        byCost.trim(toCostByCost: 1)
        #expect(byCost.keys == ["one"])
        let byDate = filled()
        byDate.trim(toCost: 1)
        #expect(byDate.isEmptyNow)
    }

    @Test("A35 of an old and a new entry the new one stays")
    func direction() {
        let cache = MemoryCache<String, Int>()
        cache.setValue(1, forKey: "old", cost: 1)
        cache.setValue(2, forKey: "new", cost: 1)
        cache.trim(toCount: 1)
        #expect(cache.keys == ["new"])
    }

    @Test("trimming to a negative number is trimming to zero")
    func negative() {
        let cache = MemoryCache<Int, Int>()
        cache.setValue(1, forKey: 1, cost: 0)
        cache.trim(toCount: -1)
        #expect(cache.isEmptyNow)
        cache.setValue(1, forKey: 1, cost: 1)
        cache.trim(toCost: .min)
        #expect(cache.isEmptyNow)
        cache.setValue(1, forKey: 1, cost: 1)
        cache.trim(toCostByCost: .min)
        #expect(cache.isEmptyNow)
    }

    @Test("T12 A40 lowering a limit trims before the assignment returns")
    func loweringLimits() {
        let clock = ManualClock()
        let cache = MemoryCache<Int, Int>(clock: .manual(clock))
        for key in 0..<10 {
            cache.setValue(key, forKey: key, cost: 1)
            clock.advance(by: .seconds(1))
        }
        cache.countLimit = 8
        #expect(Set(cache.keys) == Set(2..<10))
        cache.costLimit = 6
        #expect(Set(cache.keys) == Set(4..<10))
        #expect(cache[4] == 4)
        cache.idleLimit = .milliseconds(4_500)
        #expect(Set(cache.keys) == [4, 6, 7, 8, 9])
        cache.ageLimit = .milliseconds(2_500)
        #expect(Set(cache.keys) == [8, 9])
        #expect(cache.count == 2)
        cache.countLimit = nil
        #expect(cache.countLimit == nil)
        cache.costLimit = -3
        #expect(cache.costLimit == 0)
        #expect(cache.isEmptyNow)
    }

    @Test("V58 reading a setting does no maintenance")
    func settingsAreReads() {
        let clock = ManualClock()
        let cache = MemoryCache<Int, Int>(configuration: .init(costLimit: 10), clock: .manual(clock))
        cache.setValue(1, forKey: 1, expiration: .seconds(1))
        clock.advance(by: .seconds(2))
        #expect(cache.costLimit == 10)
        #expect(cache.policy == .lru)
        #expect(cache.configuration.costLimit == 10)
        // Dead, but nothing has removed it.
        #expect(cache.count == 1)
        #expect(cache.statistics.removals.isEmpty)
    }

    @Test("T4 growing keeps the order of use")
    func growth() {
        let clock = ManualClock()
        let cache = MemoryCache<Int, Int>(configuration: .init(idleLimit: .seconds(10)), clock: .manual(clock))
        for key in 0..<10 { cache[key] = key }
        clock.advance(by: .seconds(9))
        for key in stride(from: 8, through: 0, by: -2) { #expect(cache[key] == key) }
        clock.advance(by: .milliseconds(500))
        for key in 10..<1_000 { cache[key] = key }
        #expect(Array(cache.entriesByRecency.map(\.key).prefix(11)) == [1, 3, 5, 7, 9, 8, 6, 4, 2, 0, 10])
        clock.advance(by: .seconds(1))
        #expect(Array(cache.entriesByRecency.map(\.key).prefix(6)) == [8, 6, 4, 2, 0, 10])
    }
}
