import LarderMemory
import TestSupport
import Testing

struct StatisticsTests {
    @Test("hits and misses are exact, also from many threads")
    func exactCounts() {
        let cache = MemoryCache<Int, Int>()
        for key in 0..<50 { cache[key] = key }
        let haveEnded = threads(6) { _ in
            for _ in 0..<20 {
                for key in 0..<100 { _ = cache.value(forKey: key) }
            }
        }
        #expect(haveEnded)
        #expect(cache.statistics.hits == 6_000)
        #expect(cache.statistics.misses == 6_000)
        #expect(cache.statistics.hitRatio == 0.5)
    }

    @Test("V67 counters go on after removeAll; entries and cost are zero")
    func afterRemoveAll() {
        let cache = MemoryCache<Int, Int>()
        for key in 0..<10 { cache.setValue(key, forKey: key, cost: 3) }
        _ = cache[1]
        let before = cache.statistics
        #expect(before.count == 10)
        #expect(before.totalCost == 30)
        cache.removeAll()
        cache[1] = 1
        let since = cache.statistics.since(before)
        #expect(since.insertions == 1)
        #expect(since.hits == 0)
        #expect(since.removals == [.removed: 10])
        #expect(since.evictions == 0)
        #expect(cache.statistics.hits == 1)
        #expect(cache.statistics.insertions == 11)
    }

    @Test("before the first lookup there is no ratio")
    func noRatio() {
        #expect(MemoryCacheStatistics().hitRatio == nil)
    }

    @Test("estimatedBytes grows with the entries and counts what they occupy")
    func estimatedBytes() {
        let cache = MemoryCache<Int, Int>()
        let empty = cache.estimatedBytes
        for key in 0..<10_000 { cache[key] = key }
        let perEntry = Double(cache.estimatedBytes - empty) / 10_000
        #expect(perEntry >= 64)
        #expect(perEntry < 256)
    }
}
