import Larder
import LarderMemory
import LarderStore
import Testing

struct PromotionTests {
    @Test("a disk hit is taken up into memory")
    func promotes() throws {
        let fixture = try CacheFixture()
        let cache = try fixture.open()
        cache.setValue("v", forKey: "k")
        cache.removeValue(forKey: "k", in: .memory)
        #expect(cache.hit(forKey: "k")?.tier == .disk)
        #expect(cache.hit(forKey: "k")?.tier == .memory)
        #expect(cache.statistics.promotions == 1)
        try cache.close()
    }

    @Test("only what memory took up counts as promoted")
    func refused() throws {
        let fixture = try CacheFixture(memory: .init(costLimit: 10))
        let cache = try fixture.open()
        cache.setValue("v", forKey: "dear", cost: 11, in: .disk)
        cache.setValue("v", forKey: "cheap", cost: 10, in: .disk)
        for _ in 0..<3 { #expect(cache.hit(forKey: "dear")?.tier == .disk) }
        var statistics = cache.statistics
        #expect(statistics.promotions == 0 && statistics.overtakenPromotions == 0)
        #expect(statistics.diskHits == 3 && statistics.memory.refusals == 3)
        #expect(cache.hit(forKey: "cheap")?.tier == .disk)
        statistics = cache.statistics
        #expect(statistics.promotions == 1 && statistics.memory.insertions == 1)
        try cache.close()
    }

    @Test("a disk hit that a hook has is counted once memory has taken it up, after the hook")
    func promotesFromHook() throws {
        let fixture = try CacheFixture()
        let cache = try fixture.open()
        cache.setValue("v", forKey: "k", in: .disk)
        cache.memory.hooks.didAdd = { [weak cache] _, key, _ in
            if key == "other" { #expect(cache?.value(forKey: "k") == "v") }
        }
        cache.setValue("w", forKey: "other")
        #expect(cache.statistics.promotions == 1)
        #expect(cache.value(forKey: "k", in: .memory) == "v")
        try cache.close()
    }

    @Test("A13 B1 a write between disk read and promotion wins")
    func writeWins() throws {
        let fixture = try CacheFixture()
        let cache = try fixture.open()
        cache.setValue("old", forKey: "k")
        cache.removeValue(forKey: "k", in: .memory)
        fixture.gap.fill { cache.setValue("new", forKey: "k") }
        _ = cache.value(forKey: "k")
        #expect(cache.value(forKey: "k", in: .memory) == "new")
        #expect(cache.value(forKey: "k", in: .disk) == "new")
        #expect(cache.statistics.overtakenPromotions == 1)
        try cache.close()
    }

    @Test("A14 B1 a removal between disk read and promotion wins")
    func removalWins() throws {
        let fixture = try CacheFixture()
        let cache = try fixture.open()
        cache.setValue("old", forKey: "k")
        cache.removeValue(forKey: "k", in: .memory)
        fixture.gap.fill { cache.removeValue(forKey: "k") }
        _ = cache.value(forKey: "k")
        #expect(cache.value(forKey: "k") == nil)
        #expect(!cache.contains("k"))
        try cache.close()
    }

    @Test("A14 removing everything between disk read and promotion wins")
    func removeAllWins() throws {
        let fixture = try CacheFixture()
        let cache = try fixture.open()
        cache.setValue("old", forKey: "k")
        cache.removeValue(forKey: "k", in: .memory)
        fixture.gap.fill { cache.removeAll() }
        _ = cache.value(forKey: "k")
        #expect(cache.value(forKey: "k") == nil)
        #expect(cache.memory.count == 0)
        try cache.close()
    }

    @Test("closing between disk read and promotion leaves memory empty")
    func closeWins() throws {
        let fixture = try CacheFixture()
        let cache = try fixture.open()
        cache.setValue("old", forKey: "k")
        cache.removeValue(forKey: "k", in: .memory)
        fixture.gap.fill { try? cache.close() }
        _ = cache.value(forKey: "k")
        #expect(cache.value(forKey: "k") == nil)
        #expect(cache.memory.count == 0)
    }

    @Test("A15 V13 promotion keeps cost, age and remaining life")
    func keepsCostAndLife() throws {
        let fixture = try CacheFixture(memory: .init(ageLimit: .seconds(3600)))
        let cache = try fixture.open()
        cache.setValue("v", forKey: "k", cost: 100, expiration: .milliseconds(1000))
        cache.removeValue(forKey: "k", in: .memory)
        fixture.advance(by: .milliseconds(600))
        #expect(cache.hit(forKey: "k")?.tier == .disk)
        #expect(cache.memory.totalCost == 100)
        fixture.advance(by: .milliseconds(500))
        #expect(cache.value(forKey: "k") == nil)

        cache.setValue("v", forKey: "aged")
        cache.removeValue(forKey: "aged", in: .memory)
        fixture.advance(by: .seconds(3000))
        #expect(cache.hit(forKey: "aged")?.tier == .disk)
        fixture.advance(by: .seconds(900))
        #expect(cache.value(forKey: "aged", in: .memory) == nil, "its true age is 3,900 s")
        try cache.close()
    }

    @Test("A16 memory does not outlive the disk's expiry")
    func memoryExpires() throws {
        let fixture = try CacheFixture()
        let cache = try fixture.open()
        cache.setValue("v", forKey: "k", expiration: .seconds(1))
        fixture.advance(by: .milliseconds(1500))
        #expect(cache.value(forKey: "k") == nil)
        try cache.close()
    }

    @Test("A18 reading without promotion leaves memory as it is")
    func noPromotion() throws {
        let fixture = try CacheFixture()
        let cache = try fixture.open()
        for index in 0..<1000 { cache.setValue("v\(index)", forKey: "k\(index)", in: .disk) }
        for index in 0..<1000 { #expect(cache.value(forKey: "k\(index)", promotes: false) == "v\(index)") }
        #expect(cache.memory.count == 0)
        try cache.close()
    }

    @Test("V15 a value read from disk is not written back when memory evicts it")
    func noWriteBack() throws {
        let fixture = try CacheFixture(memory: .init(countLimit: 1))
        let cache = try fixture.open()
        cache.setValue("v", forKey: "k")
        cache.setValue("w", forKey: "other")
        try cache.flush()
        let puts = try #require(cache.statistics.disk).puts
        for _ in 0..<10 {
            #expect(cache.value(forKey: "k") == "v")
            #expect(cache.value(forKey: "other") == "w")
        }
        try cache.flush()
        #expect(cache.statistics.disk?.puts == puts)
        try cache.close()
    }
}
