import TestSupport
import Testing

@testable import LarderMemory

struct LifeTests {
    private let clock = ManualClock()

    private func cache(_ configuration: MemoryCacheConfiguration = .init()) -> MemoryCache<String, Int> {
        MemoryCache(configuration: configuration, clock: .manual(clock))
    }

    @Test("T5 T13 A45 B5 an age limit is kept by reads, whatever the timer does")
    func ageLimit() {
        let cache = cache(.init(ageLimit: .seconds(10)))
        clock.advance(by: .seconds(5))
        cache["k"] = 1
        clock.advance(by: .milliseconds(9_999))
        #expect(cache["k"] == 1)
        clock.advance(by: .milliseconds(1))
        #expect(cache["k"] == nil)
    }

    @Test(
        "A50 V13 without limits an entry of any age has no end",
        arguments: [
            Duration.seconds(1), .seconds(3600), .seconds(200 * 365 * 86_400), .nanoseconds(Int64.max),
            .seconds(Int64.max),
        ]
    )
    func oldWithoutLimits(age: Duration) {
        let cache = cache()
        clock.advance(by: .milliseconds(500))
        cache.store(IncomingValue(value: 1, cost: 0, age: age), forKey: "k", hash: cache.hash(of: "k"))
        #expect(unsafe cache.state.pointee.table.earliestDue == nil)
        clock.advance(by: .seconds(108 * 365 * 86_400))
        #expect(cache["k"] == 1)
        cache.ageLimit = .seconds(100 * 365 * 86_400)
        #expect(cache["k"] == nil)
    }

    @Test("A46 reads do not prolong the age")
    func ageIsAbsolute() {
        let cache = cache(.init(ageLimit: .seconds(3)))
        cache["k"] = 1
        for _ in 0..<2 {
            clock.advance(by: .seconds(1))
            #expect(cache["k"] == 1)
        }
        clock.advance(by: .seconds(1))
        #expect(cache["k"] == nil)
        cache["k"] = 2
        clock.advance(by: .seconds(2))
        cache["k"] = 3
        clock.advance(by: .seconds(2))
        #expect(cache["k"] == 3)
    }

    @Test("A46 V56 reads prolong the idle time")
    func idleLimit() {
        let cache = cache(.init(idleLimit: .seconds(2)))
        cache["k"] = 1
        clock.advance(by: .milliseconds(1_900))
        #expect(cache["k"] == 1)
        clock.advance(by: .milliseconds(1_600))
        #expect(cache["k"] == 1)
        clock.advance(by: .milliseconds(1_000))
        #expect(cache.contains("k"))
        clock.advance(by: .milliseconds(1_001))
        #expect(cache["k"] == nil)
    }

    @Test("A48 an expired entry is gone from every view")
    func everyView() throws {
        let cache = cache()
        cache.setValue(1, forKey: "k", expiration: .milliseconds(50))
        clock.advance(by: .milliseconds(100))
        #expect(cache.value(forKey: "k") == nil)
        #expect(cache["k"] == nil)
        #expect(!cache.contains("k"))
        #expect(cache.keys.isEmpty)
        #expect(cache.entriesByRecency.isEmpty)
        let visited = Recorder<String>()
        try cache.forEach { key, _ in visited.note(key) }
        #expect(visited.events.isEmpty)
        #expect(cache.removeValue(forKey: "k") == nil)
        #expect(cache.isEmptyNow)
        #expect(cache.statistics.removals == [.expired: 1])
    }

    @Test("A50 no limit is not zero seconds")
    func noLimit() {
        let cache = cache()
        for key in ["a", "b", "c"] { cache[key] = 1 }
        clock.advance(by: .seconds(1 << 30))
        cache.removeExpired()
        #expect(cache.count == 3)
        cache.ageLimit = .seconds(1 << 31)
        cache.ageLimit = nil
        clock.advance(by: .seconds(1 << 32))
        cache.removeExpired()
        #expect(cache.count == 3)
    }

    @Test("an age limit set later counts from the last write, however that was made", arguments: [nil, 3] as [Int?])
    func laterLimit(cost: Int?) {
        let cache = cache()
        for key in ["untouched", "replaced", "read"] { cache.setValue(1, forKey: key, cost: cost ?? 0) }
        clock.advance(by: .seconds(5))
        cache.setValue(2, forKey: "replaced", cost: cost ?? 0)
        #expect(cache["read"] == 1)
        clock.advance(by: .seconds(2))
        cache.ageLimit = .seconds(3)
        #expect(cache["untouched"] == nil)
        #expect(cache["read"] == nil)
        #expect(cache["replaced"] == 2)
        cache.ageLimit = nil
        clock.advance(by: .seconds(10))
        #expect(cache["replaced"] == 2)
        cache.ageLimit = .seconds(13)
        #expect(cache["replaced"] == 2)
        cache.ageLimit = .seconds(12)
        #expect(cache["replaced"] == nil)
    }

    @Test("a clock advanced as far as it goes ends what has an end and nothing else")
    func endOfTime() {
        let cache = cache()
        cache["endless"] = 1
        cache.setValue(2, forKey: "long", expiration: .seconds(60 * 60 * 24 * 365 * 50))
        clock.advance(by: .seconds(Int64.max))
        #expect(cache["endless"] == 1)
        #expect(cache["long"] == nil)
        cache["endless"] = 3
        cache.ageLimit = .seconds(1)
        #expect(cache["endless"] == 3)
    }

    @Test("A55 tidying removes the expired and spares the fresh")
    func tidying() {
        let cache = cache()
        cache.setValue(1, forKey: "expired", expiration: .seconds(1))
        cache.setValue(2, forKey: "fresh", expiration: .seconds(10))
        clock.advance(by: .seconds(2))
        cache.removeExpired()
        #expect(cache.keys == ["fresh"])
        #expect(cache.count == 1)
    }

    @Test("A57 the clock of ages is monotonic: it cannot be set back")
    func monotonic() {
        let cache = cache(.init(ageLimit: .seconds(10)))
        cache["k"] = 1
        clock.advance(by: .seconds(-3_600))
        #expect(cache["k"] == 1)
        clock.advance(by: .seconds(9))
        #expect(cache["k"] == 1)
        clock.advance(by: .seconds(1))
        #expect(cache["k"] == nil)
    }

    @Test("A59 zero and negative lives are refused, with the old value; endless ones hold")
    func oddLives() {
        let cache = cache()
        for life in [Duration.zero, .seconds(-1), .seconds(Int64.min), .nanoseconds(-1)] {
            cache["k"] = 1
            cache.setValue(2, forKey: "k", expiration: life)
            #expect(cache["k"] == nil)
            #expect(cache.isEmptyNow)
        }
        cache.setValue(1, forKey: "none")
        cache.setValue(2, forKey: "huge", expiration: .seconds(Int64.max))
        cache.setValue(3, forKey: "century", expiration: .seconds(100 * 366 * 86_400))
        clock.advance(by: .seconds(20 * 366 * 86_400))
        #expect(cache["none"] == 1)
        #expect(cache["huge"] == 2)
        #expect(cache["century"] == 3)
        clock.advance(by: .seconds(Int64.max))
        #expect(cache["none"] == 1)
        #expect(cache["century"] == nil)
    }

    @Test("the shortest of life, age and idle time counts, and gives the cause")
    func shortestCounts() {
        let cases: [(MemoryCacheConfiguration, Duration?, RemovalCause)] = [
            (.init(ageLimit: .seconds(2), idleLimit: .seconds(3)), .seconds(1), .expired),
            (.init(ageLimit: .seconds(1), idleLimit: .seconds(3)), .seconds(2), .evictedByAge),
            (.init(ageLimit: .seconds(3), idleLimit: .seconds(1)), nil, .evictedByIdleness),
        ]
        for (configuration, life, cause) in cases {
            let cache = cache(configuration)
            cache.setValue(1, forKey: "k", expiration: life)
            clock.advance(by: .milliseconds(900))
            #expect(cache.contains("k"))
            clock.advance(by: .milliseconds(200))
            cache.removeExpired()
            #expect(cache.isEmptyNow)
            #expect(cache.statistics.removals == [cause: 1])
        }
    }

    @Test("V57 a new value under a key that was due stays")
    func rewritten() {
        let cache = cache()
        cache.setValue(1, forKey: "k", expiration: .seconds(1))
        clock.advance(by: .seconds(1))
        cache.setValue(2, forKey: "k", expiration: .seconds(1))
        cache.removeExpired()
        #expect(cache["k"] == 2)
        #expect(cache.statistics.removals == [.expired: 1])
        cache.setValue(3, forKey: "k")
        clock.advance(by: .seconds(5))
        cache.removeExpired()
        #expect(cache["k"] == 3)
    }

    @Test("the dead leave before the living when room is needed")
    func deadFirst() {
        let cache = cache(.init(countLimit: 2))
        cache["oldest"] = 1
        cache.setValue(2, forKey: "dead", expiration: .seconds(1))
        clock.advance(by: .seconds(2))
        cache["new"] = 3
        #expect(Set(cache.keys) == ["oldest", "new"])
        #expect(cache.statistics.removals == [.expired: 1])
    }

    @Test("V65 expirations count as evictions")
    func expirationsAreEvictions() {
        let cache = MemoryCache<Int, Int>(clock: .manual(clock))
        for key in 0..<10 { cache.setValue(key, forKey: key, expiration: .seconds(1)) }
        clock.advance(by: .seconds(2))
        cache.drain()
        #expect(cache.statistics.removals == [.expired: 10])
        #expect(cache.statistics.evictions == 10)
    }

    @Test("V54 lives around the edges of the wheel's buckets all end, none before its time")
    func bucketEdges() {
        let tick = Duration.nanoseconds(1 << 20)
        for ticks in Array(1...200) + [4_095, 4_096, 4_097, 262_143, 262_144, 262_145] {
            let cache = cache()
            // From another place within the present bucket each time.
            clock.advance(by: tick * (ticks % 67) + .nanoseconds(ticks))
            cache.setValue(1, forKey: "k", expiration: tick * ticks)
            clock.advance(by: tick * ticks - .nanoseconds(1))
            cache.removeExpired()
            #expect(cache.count == 1, "gone before \(ticks) ticks")
            clock.advance(by: .nanoseconds(1))
            cache.removeExpired()
            #expect(cache.count == 0, "still there after \(ticks) ticks")
        }
    }
}
