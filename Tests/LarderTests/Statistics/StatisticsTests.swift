import Larder
import LarderMemory
import LarderStore
import Testing

struct StatisticsTests {
    @Test("V66 each lookup counts once at the facade, and in each tier that it reached")
    func counts() throws {
        let fixture = try CacheFixture()
        let cache = try fixture.open()
        cache.setValue("v", forKey: "k")
        cache.removeAll(in: .memory)
        _ = cache.value(forKey: "k")
        _ = cache.value(forKey: "k")
        _ = cache.value(forKey: "absent")
        _ = cache.contains("k")
        let statistics = cache.statistics
        #expect(statistics.diskHits == 1)
        #expect(statistics.memoryHits == 1)
        #expect(statistics.misses == 1)
        #expect(statistics.memory.misses == 2)
        #expect(statistics.disk?.hits == 1)
        #expect(statistics.hitRatio == 2.0 / 3.0)
        try cache.close()
    }

    @Test("V66 lookups past the facade are memory's alone, and leave the facade's ratio as it is")
    func pastTheFacade() throws {
        let fixture = try CacheFixture()
        let cache = try fixture.open()
        cache.setValue("v", forKey: "k")
        #expect(cache.value(forKey: "k") == "v")
        #expect(cache.hit(forKey: "k", in: .memory)?.tier == .memory)
        #expect(cache.value(forKey: "absent") == nil)
        let before = cache.statistics
        for _ in 0..<10 {
            #expect(cache.memory.value(forKey: "k") == "v")
            #expect(cache.memory["absent"] == nil)
        }
        let statistics = cache.statistics
        #expect(statistics.memoryHits == 2 && statistics.misses == 1)
        #expect(statistics.hitRatio == before.hitRatio)
        #expect(statistics.memory.hits == 12 && statistics.memory.misses == 11)
        #expect(cache.memory.statistics.hits == 12)
        #expect(statistics.since(before).memoryHits == 0 && statistics.since(before).memory.hits == 10)
        let text = statistics.prometheusText(name: "c")
        #expect(text.contains("larder_hits_total{cache=\"c\",tier=\"memory\"} 2\n"))
        #expect(text.contains("larder_memory_hits_total{cache=\"c\"} 12\n"))
        #expect(text.contains("larder_memory_misses_total{cache=\"c\"} 11\n"))
        try cache.close()
    }

    @Test("V67 nothing is left after removing everything")
    func afterRemoveAll() throws {
        let fixture = try CacheFixture()
        let cache = try fixture.open()
        for index in 0..<10 { cache.setValue("v", forKey: "k\(index)") }
        cache.removeAll()
        try cache.flush()
        #expect(cache.statistics.memory.count == 0)
        #expect(cache.statistics.memory.totalCost == 0)
        #expect(cache.statistics.disk?.entries == 0)
        try cache.close()
    }

    @Test func `differences of snapshots`() throws {
        let fixture = try CacheFixture()
        let cache = try fixture.open()
        cache.setValue("v", forKey: "k")
        _ = cache.value(forKey: "k")
        let before = cache.statistics
        _ = cache.value(forKey: "k")
        _ = cache.value(forKey: "absent")
        let difference = cache.statistics.since(before)
        #expect(difference.memoryHits == 1)
        #expect(difference.misses == 1)
        #expect(difference.memory.insertions == 0)
        try cache.close()
    }

    @Test func `the Prometheus text has the cache's name and never a key`() throws {
        let fixture = try CacheFixture()
        let cache = try fixture.open()
        cache.setValue("v", forKey: "secret-key")
        _ = cache.value(forKey: "secret-key")
        let text = cache.statistics.prometheusText(name: "a\"b\\c")
        #expect(text.contains("larder_hits_total{cache=\"a\\\"b\\\\c\",tier=\"memory\"} 1\n"))
        #expect(text.contains("# TYPE larder_disk_entries gauge\n"))
        #expect(text.contains("larder_disk_failing{cache=\"a\\\"b\\\\c\"} 0\n"))
        #expect(!text.contains("secret-key"))
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            #expect(line.contains("{cache=") && Double(line.split(separator: " ").last ?? "") != nil)
        }
        try cache.close()
    }

    @Test("names whose line ends and quotes are part of longer characters are escaped as well")
    func escapedCharacters() {
        let text = TieredCacheStatistics().prometheusText(name: "a\r\nb\"\u{301}c\\\u{301}")
        #expect(text.contains("larder_misses_total{cache=\"a\r\\nb\\\"\u{301}c\\\\\u{301}\"} 0\n"))
    }
}
