import TestSupport
import Testing

@testable import LarderMemory

/// The policies in the cache: what must hold whatever leaves first.
struct PolicyTests {
    static let policies: [EvictionPolicy] = [
        .lru, .fifo, .clock, .s3FIFO(), .s3FIFO(small: 0.5, ghost: 0, threshold: 3), .tinyLFU(), .tinyLFU(window: 0.9),
    ]

    #if DEBUG
        static let steps = 20_000
    #else
        static let steps = 1_000_000
    #endif

    @Test("V41 V44 limits and sums hold after each of many random operations", arguments: policies)
    func limits(policy: EvictionPolicy) {
        let seed: UInt64 = 77
        var random = SeededRandom(seed: seed)
        let clock = LarderMemory.ManualClock()
        let cache = MemoryCache<Int, Int>(
            configuration: .init(costLimit: 300, countLimit: 90, policy: policy),
            clock: .manual(clock)
        )
        var written: [Int: (value: Int, cost: Int)] = [:]
        for step in 0..<Self.steps {
            let key = Int.random(in: 0..<25, using: &random) * Int.random(in: 0..<10, using: &random)
            switch Int.random(in: 0..<1000, using: &random) {
            case 0: cache.countLimit = Bool.random(using: &random) ? nil : Int.random(in: 1...120, using: &random)
            case 1: cache.costLimit = Bool.random(using: &random) ? nil : Int.random(in: 9...500, using: &random)
            case 2: cache.policy = Self.policies.randomElement(using: &random) ?? policy
            case 3: cache.removeAll()
            case 4..<10: cache.trim(toCount: Int.random(in: 0...90, using: &random))
            case 10..<15: cache.trim(toCost: Int.random(in: 0...300, using: &random))
            case 15..<40: cache.removeValue(forKey: key)
            case 40..<60: clock.advance(by: .milliseconds(Int.random(in: 0...30, using: &random)))
            case 60..<400:
                let cost = Int.random(in: 0...9, using: &random)
                let life: Duration? = step % 5 == 0 ? .milliseconds(40) : nil
                cache.setValue(step, forKey: key, cost: cost, expiration: life)
                written[key] = (step, cost)
            default:
                if let value = cache.value(forKey: key) { #expect(value == written[key]?.value) }
            }
            if let limit = cache.countLimit { #expect(cache.count <= limit) }
            if let limit = cache.costLimit { #expect(cache.totalCost <= limit) }
            if step % 500 == 0 {
                cache.removeExpired()
                let keys = cache.keys
                #expect(keys.count == cache.count)
                #expect(
                    keys.reduce(0) { $0 + (written[$1]?.cost ?? 0) } == cache.totalCost,
                    "seed \(seed), step \(step)"
                )
            }
        }
        cache.trim(toCount: 0)
        #expect(cache.count == 0)
        #expect(cache.totalCost == 0)
    }

    @Test("exchanging the policy keeps every entry and its recency", arguments: policies, policies)
    func exchange(from old: EvictionPolicy, to new: EvictionPolicy) {
        let cache = MemoryCache<Int, Int>(configuration: .init(countLimit: 100, policy: old))
        for key in 0..<130 { cache[key] = key }
        for key in stride(from: 0, to: 130, by: 3) { _ = cache[key] }
        let before = cache.entriesByRecency.map(\.key)
        cache.policy = new
        #expect(cache.policy == new)
        #expect(cache.entriesByRecency.map(\.key) == before)
        for key in 200..<500 { cache[key] = key }
        #expect(cache.count == 100)
        // From the policy that is exact about it: what was least recent before the exchange left first.
        if new == .lru {
            cache.policy = old
            cache.policy = .lru
            cache.trim(toCount: 40)
            #expect(Set(cache.keys) == Set(460..<500))
        }
    }

    @Test("exchanging a policy for LRU files the entries by recency", arguments: policies)
    func exchangeForLRU(old: EvictionPolicy) {
        let cache = MemoryCache<Int, Int>(configuration: .init(policy: old))
        for key in 0..<50 { cache[key] = key }
        for key in [7, 3, 11] { _ = cache[key] }
        cache.policy = .lru
        cache.trim(toCount: 4)
        #expect(cache.entriesByRecency.map(\.key) == [49, 7, 3, 11])
    }

    @Test("replacing the next victim with a costlier value lets another leave", arguments: policies)
    func growingVictim(policy: EvictionPolicy) {
        let cache = MemoryCache<Int, Int>(configuration: .init(costLimit: 10, policy: policy))
        for key in 0..<5 { cache.setValue(key, forKey: key, cost: 2) }
        for key in 0..<5 {
            cache.setValue(key + 100, forKey: key, cost: 8)
            #expect(cache[key] == key + 100)
            #expect(cache.totalCost <= 10)
        }
        cache.setValue(0, forKey: 4, cost: 10)
        #expect(cache.keys == [4])
    }

    @Test("without a limit nothing is forgotten, and a trim still works", arguments: policies)
    func unlimited(policy: EvictionPolicy) {
        let cache = MemoryCache<Int, Int>(configuration: .init(policy: policy))
        for key in 0..<3000 { cache.setValue(key, forKey: key, cost: key) }
        #expect(cache.count == 3000)
        cache.trim(toCount: 1000)
        #expect(cache.count == 1000)
        for key in 0..<3000 where !cache.contains(key) { cache[key] = key }
        #expect(cache.count == 3000)
        cache.countLimit = 10
        #expect(cache.count == 10)
    }

    @Test("the smallest and the largest limits neither trap nor hang", arguments: policies)
    func extremes(policy: EvictionPolicy) {
        for limit in [1, 2, 3, 5, Int.max - 1, .max] {
            let counted = MemoryCache<Int, Int>(configuration: .init(countLimit: limit, policy: policy))
            for key in 0..<200 { counted[key % 7] = key }
            #expect(counted.count == min(7, limit))
            let weighed = MemoryCache<Int, Int>(configuration: .init(costLimit: limit, policy: policy))
            for key in 0..<200 { weighed.setValue(key, forKey: key % 7, cost: min(limit, 1 + key % 2)) }
            #expect(weighed.totalCost <= limit)
            weighed.setValue(0, forKey: 1000, cost: limit)
            #expect(weighed[1000] == 0)
        }
    }

    @Test("what costs nothing is not remembered without end", arguments: [EvictionPolicy.s3FIFO(), .tinyLFU()])
    func weightless(policy: EvictionPolicy) {
        let cache = MemoryCache<Int, Int>(configuration: .init(costLimit: 100, countLimit: 50, policy: policy))
        for key in 0..<20_000 { cache[key] = key }
        #expect(cache.count == 50)
        #expect(cache.estimatedBytes < 200_000)
    }

    @Test("a scan leaves what is asked for again and again", arguments: [EvictionPolicy.s3FIFO(), .tinyLFU()])
    func scan(policy: EvictionPolicy) {
        let cache = MemoryCache<Int, Int>(configuration: .init(countLimit: 100, policy: policy))
        for _ in 0..<20 { for key in 0..<50 where cache[key] == nil { cache[key] = key } }
        for key in 1000..<20_000 {
            cache[key] = key
            if key % 4 == 0 { for hot in 0..<10 { _ = cache[(key / 4 * 10 + hot) % 50] } }
        }
        #expect((0..<50).count { cache.contains($0) } >= 45)
    }
}
