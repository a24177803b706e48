import LarderMemory
import TestSupport
import Testing

/// Everything at once from many threads, chiefly for ThreadSanitizer.
struct StressTests {
    private typealias Cache = MemoryCache<Int, [Int]>

    #if DEBUG
        private static let rounds = 1_500
    #else
        private static let rounds = 10_000
    #endif

    @Test("A66 A67 A68 T1 eight threads mix all calls in all forms; count and cost add up", arguments: [false, true])
    func everything(hasHooks: Bool) {
        let events = Recorder<Bool>()
        let cache = Cache(configuration: .init(countLimit: 200), hooks: hasHooks ? Self.hooks(events) : .init())
        let seed = UInt64.random(in: .min ... .max)
        print("seed of everything: \(seed)")
        let haveEnded = threads(8) { thread in
            var random = SeededRandom(seed: seed &+ UInt64(thread))
            for _ in 0..<Self.rounds { Self.step(cache, events, &random) }
        }
        #expect(haveEnded)
        // What is counted is what is there, as soon as no short life ends between two looks.
        #expect(
            eventually {
                cache.drain()
                let entries = cache.entriesByRecency
                return cache.count == entries.count && Set(entries.map(\.key)).count == entries.count
                    && cache.totalCost == entries.reduce(0) { $0 + $1.key % 7 }
            }
        )
        // Every value's parts belong together and to its key.
        for (key, value) in cache.entriesByRecency {
            #expect(value.count == 3)
            #expect(Set(value).count == 1 && value[0] % 1_000 == key)
        }
        if let limit = cache.countLimit { #expect(cache.count <= limit) }
        if let limit = cache.costLimit { #expect(cache.totalCost <= limit) }
        let statistics = cache.statistics
        let left = statistics.removals.values.reduce(0, +)
        #expect(statistics.insertions == left + UInt64(statistics.count))
        #expect(events.events.allSatisfy { $0 })
    }

    private static func hooks(_ events: Recorder<Bool>) -> Cache.Hooks {
        var hooks = Cache.Hooks()
        hooks.willAdd = { _, key, value in if value.first.map({ $0 % 1_000 }) != key { events.note(false) } }
        hooks.didRemove = { cache, key, _, cause in
            if cause != .replaced, cache.contains(key) { events.note(false) }
            if key == 7 { cache.removeValue(forKey: 8) }
        }
        hooks.didRemoveAll = { cache in if cache.count != 0 { events.note(false) } }
        return hooks
    }

    private static func step(_ cache: Cache, _ events: Recorder<Bool>, _ random: inout SeededRandom) {
        let key = Int.random(in: 0..<500, using: &random)
        let number = Int.random(in: 0..<1_000, using: &random) * 1_000 + key
        let value = [number, number, number]
        let check: @Sendable ([Int]?) -> Void = { value in
            if let value, Set(value).count != 1 { events.note(false) }
        }
        switch Int.random(in: 0..<1_000, using: &random) {
        case 0..<350: check(cache.value(forKey: key))
        case 350..<450: cache.value(forKey: key) { _, _, value in check(value) }
        case 450..<650: cache.setValue(value, forKey: key, cost: key % 7)
        case 650..<700: cache.setValue(value, forKey: key, cost: key % 7, expiration: .milliseconds(key % 9 + 1))
        case 700..<760: cache.setValue(value, forKey: key, cost: key % 7) { _, _, value in check(value) }
        case 760..<840: cache.removeValue(forKey: key)
        case 840..<870: cache.removeValue(forKey: key) { _, _, value in check(value) }
        case 870..<900: _ = cache.contains(key)
        case 900..<910: cache.countLimit = Int.random(in: 100..<300, using: &random)
        case 910..<920: cache.costLimit = Bool.random(using: &random) ? nil : 400
        case 920..<925: cache.idleLimit = Bool.random(using: &random) ? nil : .seconds(5)
        case 925..<930: cache.policy = Bool.random(using: &random) ? .clock : .lru
        case 930..<940: cache.trim(toCount: 50)
        case 940..<945: cache.trim(toCost: 100, completion: nil)
        case 945..<950: cache.trim(toCostByCost: 100)
        case 950..<955: cache.trim(unusedSince: cache.now.advanced(by: .milliseconds(-5)), completion: nil)
        case 955..<960: cache.removeExpired()
        case 960..<970: try? cache.forEach { _, value in check(value) }
        case 970..<975: cache.forEach({ _, value in check(value) }, completion: nil)
        case 975..<980: _ = cache.keys
        case 980..<985: _ = cache.entriesByRecency
        case 985..<990: _ = cache.statistics
        case 990..<994: cache.removeAll()
        case 994..<996: cache.removeAll(completion: nil)
        case 996..<998: cache.handleMemoryPressure(.warning)
        default: cache.clearsOnBackground.toggle()
        }
    }

    @Test("A67 a value read while it is overwritten is the old one or the new one, whole")
    func readWhileOverwritten() {
        let cache = MemoryCache<String, [Int]>()
        cache["k"] = [0, 0]
        let torn = Recorder<[Int]>()
        let haveEnded = threads(4) { thread in
            for round in 1...5_000 {
                if thread < 2 {
                    cache["k"] = [round, round]
                } else if let value = cache["k"], value[0] != value[1] {
                    torn.note(value)
                }
            }
        }
        #expect(haveEnded)
        #expect(torn.events.isEmpty)
    }

    @Test("A68 hooks are exchanged while four threads write")
    func exchangingHooks() {
        let adds = Recorder<Int>()
        let cache = MemoryCache<Int, Int>(configuration: .init(countLimit: 50))
        let haveEnded = threads(5) { thread in
            for round in 0..<500 {
                guard thread == 4 else {
                    cache[round] = round
                    continue
                }
                if round.isMultiple(of: 2) {
                    cache.hooks.didAdd = { _, key, _ in adds.note(key) }
                } else {
                    cache.hooks = .init()
                }
            }
        }
        #expect(haveEnded)
        #expect(cache.count == 50)
        let before = adds.count
        cache[1] = 1
        #expect(adds.count == before)
    }

    @Test("caches are made and let go of while others send them pressure")
    func comingAndGoing() {
        let haveEnded = threads(4) { thread in
            for round in 0..<200 {
                let cache = MemoryCache<Int, Int>(configuration: .init(ageLimit: .milliseconds(5)))
                for key in 0..<20 { cache[key] = round }
                cache.setValue(thread, forKey: 1) { cache, _, _ in cache.removeAll() }
                if round.isMultiple(of: 3) { cache.handleMemoryPressure() }
            }
        }
        #expect(haveEnded)
    }
}
