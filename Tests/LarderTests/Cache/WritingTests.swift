import Larder
import LarderMemory
import LarderStore
import Testing

struct WritingTests {
    @Test("V69 a write is read back at once, from either tier", arguments: [CacheTiers.memory, .disk])
    func readsOwnWrites(tier: CacheTiers) throws {
        let fixture = try CacheFixture()
        let cache = try fixture.open()
        for index in 0..<2000 {
            cache.setValue("v\(index)", forKey: "k\(index % 50)")
            #expect(cache.value(forKey: "k\(index % 50)", in: tier, promotes: false) == "v\(index)")
        }
        try cache.close()
    }

    @Test("A19 V14 a value that the disk refuses leaves no older one there")
    func refusedByDisk() throws {
        let fixture = try CacheFixture(store: .init(budget: .mebibytes(64), maxValueBytes: .bytes(1000)))
        let cache = try fixture.open()
        cache.setValue("old", forKey: "k")
        try cache.flush()
        let large = String(repeating: "x", count: 2000)
        cache.setValue(large, forKey: "k")
        #expect(cache.value(forKey: "k", in: .memory) == large)
        #expect(cache.value(forKey: "k", in: .disk) == nil)
        #expect(fixture.failures.codes == [.writeFailed])
        #expect(fixture.failures.keys == ["k"])
        #expect(cache.statistics.failures == 1)
        cache.removeAll(in: .memory)
        #expect(cache.value(forKey: "k") == nil)
        try cache.close()
    }

    @Test("A19 a value that memory refuses leaves no older one there")
    func refusedByMemory() throws {
        let fixture = try CacheFixture(memory: .init(costLimit: 100))
        let cache = try fixture.open()
        cache.setValue("old", forKey: "k", cost: 10)
        cache.setValue("new", forKey: "k", cost: 1000)
        #expect(cache.value(forKey: "k", in: .memory) == nil)
        #expect(cache.value(forKey: "k") == "new")
        try cache.close()
    }

    @Test("A29 A30 B6 without a cost an entry costs its encoded bytes, on both tiers")
    func defaultCost() throws {
        let fixture = try CacheFixture(memory: .init(costLimit: 100))
        let cache = try fixture.open()
        for index in 0..<10 { cache.setValue(String(repeating: "x", count: 50), forKey: "k\(index)") }
        #expect(cache.memory.totalCost == 100)
        #expect(cache.memory.count == 2)

        let memoryOnly = try TieredCache<String, String>(
            configuration: .init(memory: .init(costLimit: 10)),
            codec: .string
        )
        for index in 0..<100 { memoryOnly.setValue("abcd", forKey: "k\(index)") }
        #expect(memoryOnly.memory.count == 2)
        try cache.close()
    }

    @Test("A29 A30 B6 what does not go to the disk costs its encoded bytes as well")
    func defaultCostBesideTheDisk() throws {
        let text = String(repeating: "x", count: 50)
        let memory = MemoryCacheConfiguration(costLimit: 10_000)
        let fixture = try CacheFixture(
            memory: memory,
            store: .init(budget: .mebibytes(64), maxValueBytes: .bytes(1000))
        )
        let cache = try fixture.open()
        cache.setValue(text, forKey: "memory", in: .memory)
        #expect(cache.memory.totalCost == 50)
        cache.setValue(String(repeating: "x", count: 2000), forKey: "large")
        #expect(cache.memory.totalCost == 2050)
        try cache.close()
    }

    @Test("A29 A71 a write that finds the queue full and is dropped costs its encoded bytes in memory")
    func defaultCostOfDropped() throws {
        var store = StoreConfiguration(budget: .mebibytes(64))
        store.queue = .init(bytes: .kibibytes(4), overflow: .drop)
        let fixture = try CacheFixture(memory: .init(costLimit: 10_000_000), store: store)
        let cache = try fixture.open()
        for index in 0..<500 { cache.setValue(String(repeating: "x", count: 1000), forKey: "k\(index)") }
        #expect(try #require(cache.statistics.disk).droppedQueueFull > 0)
        #expect(cache.memory.totalCost == 500_000)
        try cache.close()
    }

    @Test("a write to one tier takes the older value out of the other")
    func oneTier() throws {
        let fixture = try CacheFixture()
        let cache = try fixture.open()
        cache.setValue("1", forKey: "k")
        cache.setValue("2", forKey: "k", in: .memory)
        #expect(cache.value(forKey: "k", in: .disk) == nil)
        #expect(cache.value(forKey: "k") == "2")
        cache.setValue("3", forKey: "k", in: .disk)
        #expect(cache.value(forKey: "k", in: .memory) == nil)
        #expect(cache.value(forKey: "k") == "3")
        try cache.close()
    }

    @Test("V34 V35 what was removed does not come back, nor after reopening")
    func removed() throws {
        let fixture = try CacheFixture()
        var cache = try fixture.open()
        cache.setValue("v", forKey: "k")
        try cache.flush()
        cache.removeValue(forKey: "k")
        #expect(cache.value(forKey: "k") == nil)
        try cache.close()
        cache = try fixture.open()
        #expect(cache.value(forKey: "k") == nil)
        try cache.close()
    }

    @Test("V17 contains agrees with reading while the write is queued")
    func containsQueued() throws {
        let fixture = try CacheFixture()
        let cache = try fixture.open()
        for index in 0..<500 {
            cache.setValue("v", forKey: "k\(index)")
            cache.removeValue(forKey: "k\(index)", in: .memory)
            #expect(cache.contains("k\(index)"))
            #expect(cache.value(forKey: "k\(index)", promotes: false) == "v")
        }
        try cache.close()
    }

    @Test("A50 without a default life entries stay")
    func noLife() throws {
        let fixture = try CacheFixture()
        var cache = try fixture.open()
        for key in ["a", "b", "c"] { cache.setValue("v", forKey: key) }
        fixture.advance(by: .seconds(86_400 * 365))
        cache.removeExpired()
        try cache.close()
        cache = try fixture.open()
        #expect(cache.statistics.disk?.entries == 3)
        try cache.close()
    }

    @Test("A23 the configured life holds in both tiers")
    func configuredLife() throws {
        let fixture = try CacheFixture(expiration: .seconds(10))
        let cache = try fixture.open()
        cache.setValue("v", forKey: "k")
        fixture.advance(by: .seconds(11))
        #expect(cache.value(forKey: "k", in: .memory) == nil)
        #expect(cache.value(forKey: "k", in: .disk) == nil)
        try cache.close()
    }

    @Test("concurrent writes of one key leave both tiers with the same value")
    func tiersAgree() async throws {
        let fixture = try CacheFixture()
        let cache = try fixture.open()
        await withTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    for index in 0..<500 {
                        if index % 7 == 0 {
                            cache.removeValue(forKey: "k\(index % 5)")
                        } else {
                            cache.setValue("\(writer)-\(index)", forKey: "k\(index % 5)")
                        }
                        _ = cache.value(forKey: "k\((index + 1) % 5)")
                    }
                }
            }
        }
        for key in 0..<5 {
            #expect(cache.value(forKey: "k\(key)", in: .memory) == cache.value(forKey: "k\(key)", in: .disk))
        }
        try await cache.flush()
        for key in 0..<5 {
            #expect(cache.value(forKey: "k\(key)", in: .memory) == cache.value(forKey: "k\(key)", in: .disk))
        }
        try cache.close()
    }
}
