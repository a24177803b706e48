import Dispatch
import LarderMemory
import TestSupport
import Testing

struct CallbackTests {
    typealias Cache = MemoryCache<String, Int>

    @Test("T3 T9 T25 B3 a callback get answers once with cache, key and value, also on a miss")
    func get() {
        let cache = Cache()
        let answers = Recorder<Int?>()
        cache.setValue(1, forKey: "a")
        for key in ["a", "absent"] {
            cache.value(forKey: key) { answering, answeredKey, value in
                #expect(answering === cache)
                #expect(answeredKey == key)
                answers.note(value)
            }
        }
        cache.removeValue(forKey: "a")
        cache.value(forKey: "a") { _, _, value in answers.note(value) }
        cache.removeAll()
        cache.value(forKey: "a") { _, _, value in answers.note(value) }
        cache.drain()
        #expect(answers.count == 4)
        #expect(Set(answers.events.prefix(2)) == [1, nil])
        #expect(answers.events.suffix(2) == [nil, nil])
        #expect(cache.statistics.hits == 1)
        #expect(cache.statistics.misses == 3)
    }

    @Test("T9 T10 callbacks run on the cache's queue")
    func callbackQueue() {
        let cache = Cache(label: "callbacks")
        let isOnQueue = DispatchSpecificKey<Bool>()
        cache.queue.setSpecific(key: isOnQueue, value: true)
        let places = Recorder<Bool>()
        let place: Cache.CacheCallback = { _ in places.note(DispatchQueue.getSpecific(key: isOnQueue) == true) }
        cache.value(forKey: "a") { cache, _, _ in place(cache) }
        cache.setValue(1, forKey: "a") { cache, _, _ in place(cache) }
        cache.removeValue(forKey: "a") { cache, _, _ in place(cache) }
        cache.removeAll(completion: place)
        cache.trim(toCost: 0, completion: place)
        cache.trim(toCostByCost: 0, completion: place)
        cache.trim(toCount: 0, completion: place)
        cache.trim(unusedSince: cache.now, completion: place)
        cache.removeExpired(completion: place)
        cache.forEach({ _, _ in }, completion: place)
        cache.drain()
        #expect(places.events == Array(repeating: true, count: 10))
    }

    @Test("T26 V69 a callback set is seen by the next get of the same thread; its callback may be nil")
    func set() {
        let cache = Cache()
        for number in 0..<2_000 {
            cache.setValue(number, forKey: "k", completion: nil)
            #expect(cache.value(forKey: "k") == number)
        }
        let answers = Recorder<Int?>()
        cache.setValue(7, forKey: "k") { _, key, value in
            #expect(key == "k")
            answers.note(value)
        }
        #expect(answers.waits(for: 1))
        #expect(answers.events == [7])
    }

    @Test("T27 a callback set with cost trims the oldest first, then calls back")
    func setWithCost() {
        let cache = Cache(configuration: .init(costLimit: 10))
        let seen = Recorder<[String]>()
        for (number, key) in ["a", "b", "c"].enumerated() {
            cache.setValue(number, forKey: key, cost: 4) { cache, _, _ in
                #expect(cache.totalCost <= 10)
                if key == "c" { seen.note(cache.entriesByRecency.map(\.key)) }
            }
        }
        #expect(seen.waits(for: 1))
        #expect(seen.events == [["b", "c"]])
        let refused = Recorder<Int?>()
        cache.setValue(9, forKey: "b", cost: 11) { cache, _, value in
            refused.note(value)
            refused.note(cache.value(forKey: "b"))
        }
        #expect(refused.waits(for: 2))
        #expect(refused.events == [9, nil])
    }

    @Test("T28 a callback removal hands over what it removed, and nil when there was nothing")
    func remove() {
        let clock = ManualClock()
        let cache = Cache(clock: .manual(clock))
        cache.setValue(1, forKey: "a")
        cache.setValue(2, forKey: "expired", expiration: .seconds(1))
        clock.advance(by: .seconds(2))
        let removed = Recorder<Int?>()
        for key in ["a", "a", "expired"] {
            cache.removeValue(forKey: key) { _, _, value in removed.note(value) }
            cache.drain()
        }
        cache.removeValue(forKey: "a", completion: nil)
        #expect(removed.events == [1, nil, nil])
        #expect(cache.isEmptyNow)
    }

    @Test("T29 T30 T31 T32 callback trims do what the synchronous ones do, then call back once")
    func trims() {
        let clock = ManualClock()
        let cache = MemoryCache<Int, Int>(clock: .manual(clock))
        let left = Recorder<Set<Int>>()
        func fill() {
            cache.removeAll()
            for key in 1...4 {
                clock.advance(by: .seconds(1))
                cache.setValue(key, forKey: key, cost: key == 1 ? 9 : key)
            }
        }
        let note: MemoryCache<Int, Int>.CacheCallback = { left.note(Set($0.keys)) }
        fill()
        cache.trim(unusedSince: clock.now.advanced(by: .milliseconds(-1_500)), completion: note)
        cache.drain()
        fill()
        cache.trim(toCostByCost: 9, completion: note)
        cache.drain()
        fill()
        cache.trim(toCost: 7, completion: note)
        cache.drain()
        fill()
        cache.trim(toCount: 1, completion: note)
        cache.drain()
        fill()
        cache.removeAll(completion: note)
        cache.drain()
        #expect(left.events == [[3, 4], [2, 3, 4], [3, 4], [4], []])
    }

    @Test("T33 a callback enumeration visits every entry inside one barrier and returns at once")
    func forEach() {
        let cache = MemoryCache<Int, Int>()
        for key in 0..<100 { cache[key] = key }
        let visited = Recorder<Int>()
        let ended = Recorder<Int>()
        cache.forEach({ key, value in
            #expect(key == value)
            #expect(cache.value(forKey: key) == value)
            cache.removeValue(forKey: key)
            visited.note(key)
        }) { cache in ended.note(cache.count) }
        #expect(ended.waits(for: 1))
        #expect(Set(visited.events) == Set(0..<100))
        #expect(ended.events == [0])
        cache.forEach({ _, _ in }, completion: nil)
        cache.drain()
    }

    @Test("A1 every callback of 10,000 gets of missing keys runs exactly once")
    func floodOfGets() {
        let cache = MemoryCache<Int, Int>()
        let answers = Recorder<Int>()
        for key in 0..<10_000 {
            cache.value(forKey: key) { _, key, value in
                #expect(value == nil)
                answers.note(key)
            }
        }
        #expect(answers.waits(for: 10_000))
        cache.drain()
        #expect(answers.events.sorted() == Array(0..<10_000))
    }

    @Test("T25 T26 T28 T32 T33 callbacks run although the cache was let go at once, and it is freed afterwards")
    func releasedCache() {
        let answers = Recorder<String>()
        let deaths = Recorder<Int>()
        weak var released: MemoryCache<String, DeinitProbe>?
        do {
            let cache = MemoryCache<String, DeinitProbe>()
            released = cache
            cache.setValue(DeinitProbe { deaths.note($0) }, forKey: "a") { _, _, _ in answers.note("set") }
            cache.value(forKey: "a") { _, _, value in answers.note(value == nil ? "missed" : "got") }
            cache.forEach({ key, _ in answers.note(key) }) { _ in answers.note("visited") }
            cache.removeValue(forKey: "a") { _, _, value in answers.note(value == nil ? "nothing" : "removed") }
            cache.trim(toCount: 0) { _ in answers.note("trimmed") }
            cache.removeAll { _ in answers.note("emptied") }
        }
        #expect(answers.waits(for: 7))
        #expect(answers.events.sorted() == ["a", "emptied", "got", "removed", "set", "trimmed", "visited"])
        #expect(deaths.waits(for: 1))
        #expect(eventually { released == nil })
    }

    @Test("A6 B7 B8 synchronous calls from inside callbacks return")
    func callsFromCallbacks() {
        let clock = ManualClock()
        let cache = Cache(clock: .manual(clock))
        cache.setValue(1, forKey: "a", expiration: .seconds(1))
        clock.advance(by: .seconds(2))
        let results = Recorder<Int?>()
        #expect(
            finishes {
                cache.value(forKey: "a") { cache, key, _ in
                    cache.removeExpired()
                    cache.removeAll()
                    cache.setValue(2, forKey: key)
                    results.note(cache.value(forKey: key))
                    try? cache.forEach { _, value in results.note(value) }
                    cache.trim(toCount: 0)
                    cache.drain()
                    results.note(cache.count)
                }
                cache.drain()
            }
        )
        #expect(results.events == [2, 2, 0])
    }

    @Test("values that leave by callback forms are released where they may use the cache")
    func releaseOutsideTheBarrier() {
        let cache = MemoryCache<Int, DeinitProbe>(configuration: .init(countLimit: 1))
        let counts = Recorder<Int>()
        for key in 0..<3 {
            let value = DeinitProbe(key) { [weak cache] number in
                cache?.setValue(DeinitProbe { _ in }, forKey: 100 + number)
                counts.note(cache?.count ?? 1)
            }
            cache.setValue(value, forKey: key, completion: nil)
        }
        cache.removeAll(completion: nil)
        #expect(counts.waits(for: 3))
        #expect(counts.events.allSatisfy { $0 <= 1 })
    }
}
