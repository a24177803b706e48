import Dispatch
import LarderMemory
import TestSupport
import Testing

struct LifecycleTests {
    #if DEBUG
        private static let many = 100_000
    #else
        private static let many = 1_000_000
    #endif

    @Test("T41 A12 V67 removeAll of a million entries neither recurses nor leaves anything counted")
    func removeAllOfMany() {
        let cache = MemoryCache<Int, DeinitProbe>()
        let deaths = Recorder<Int>()
        for key in 0..<1_000_000 {
            cache.setValue(DeinitProbe(key) { if $0 == 999_999 { deaths.note($0) } }, forKey: key, cost: 1)
        }
        #expect(cache.count == 1_000_000)
        #expect(cache.totalCost == 1_000_000)
        cache.removeAll()
        #expect(deaths.count == 1)
        #expect(cache.isEmptyNow)
        #expect(cache.statistics.count == 0)
        #expect(cache.statistics.removals == [.removed: 1_000_000])
        #expect(cache.estimatedBytes < 10_000)
    }

    @Test("A38 letting go of a cache releases every value")
    func releasesValues() {
        let deaths = Recorder<Int>()
        do {
            let cache = MemoryCache<Int, DeinitProbe>()
            for key in 0..<10 { cache[key] = DeinitProbe(key) { deaths.note($0) } }
            cache.removeValue(forKey: 3)
            cache[4] = DeinitProbe(44) { deaths.note($0) }
            cache.trim(toCount: 7)
        }
        #expect(deaths.events.sorted() == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 44].sorted())
    }

    @Test("A38 slots are used again: values are neither leaked nor released twice")
    func churn() {
        let deaths = Recorder<Int>()
        var random = SeededRandom.printingSeed()
        let count = Self.many / 10
        do {
            let cache = MemoryCache<Int, DeinitProbe>(configuration: .init(countLimit: 100))
            for number in 0..<count {
                let key = Int.random(in: 0..<300, using: &random)
                switch Int.random(in: 0..<10, using: &random) {
                case 0: cache.removeValue(forKey: key)
                case 1 where number.isMultiple(of: 100): cache.removeAll()
                case 2: cache.trim(toCount: 50)
                default: break
                }
                cache[key] = DeinitProbe(number) { deaths.note($0) }
            }
        }
        #expect(deaths.count == count)
        #expect(Set(deaths.events).count == count)
    }

    @Test("V68 making and dropping a thousand caches leaves no thread and no open file behind")
    func manyCaches() {
        func round() {
            for number in 0..<1_000 {
                let cache = MemoryCache<Int, Int>(configuration: .init(ageLimit: .seconds(3_600)))
                cache[number] = number
                cache.setValue(1, forKey: 1, completion: nil)
                #expect(cache[number] == number)
                cache.drain()
            }
        }
        round()
        let before = countThreadsAndFiles()
        round()
        let after = countThreadsAndFiles()
        // Other tests run beside this one and come and go with threads of their own: far fewer than a thousand.
        #expect(after.threads < before.threads + 200)
        #expect(after.files < before.files + 200)
    }

    @Test("T8 a new cache knows nothing of an earlier one")
    func freshCache() {
        do {
            let cache = MemoryCache<Int, Int>(label: "same")
            cache[1] = 1
        }
        let cache = MemoryCache<Int, Int>(label: "same")
        #expect(cache[1] == nil)
        #expect(cache.isEmptyNow)
    }

    @Test("T10 the queue is readable and carries the label")
    func queue() {
        let cache = MemoryCache<Int, Int>(label: "my cache")
        #expect(cache.queue.label == "my cache")
        #expect(cache.queue === cache.queue)
    }

    @Test("B11 values are Sendable; a value of class type is shared, one of struct type is not")
    func sharing() {
        let cache = MemoryCache<Int, [Int]>()
        var array = [1]
        cache[1] = array
        array.append(2)
        #expect(cache[1] == [1])
    }

    @Test("V69 a value is there as soon as its set has returned, if the limits allow it")
    func readYourWrites() {
        let missing = Recorder<Int>()
        let small = MemoryCache<Int, Int>(configuration: .init(countLimit: 1))
        for key in 0..<Self.many / 10 {
            small[key] = key
            if small[key] != key { missing.note(key) }
        }
        let shared = MemoryCache<Int, Int>()
        let haveEnded = threads(4) { thread in
            for number in 0..<5_000 {
                let key = number * 4 + thread
                if number.isMultiple(of: 16) {
                    shared.setValue(key, forKey: key, completion: nil)
                } else {
                    shared[key] = key
                }
                if shared[key] != key { missing.note(key) }
            }
        }
        #expect(haveEnded)
        #expect(missing.events.isEmpty)
        #expect(small.count == 1)
        #expect(shared.count == 20_000)
    }
}
