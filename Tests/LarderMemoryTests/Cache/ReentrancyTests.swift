import LarderMemory
import TestSupport
import Testing

/// Calls of the cache from inside a hook, an enumeration, a value's deinit.
///
/// Reads are answered in place, writes are carried out right after the barrier and before the outer call returns. Nothing
/// traps or hangs.
struct ReentrancyTests {
    typealias Cache = MemoryCache<Int, Int>

    enum Hook: String, CaseIterable {
        case willAdd, didAdd, willRemove, didRemove, willRemoveAll, didRemoveAll
    }

    enum Call: String, CaseIterable {
        case get, contains, statistics, set, remove, removeAll, trim, configure, pressure, forEach, callbacks
    }

    /// A cache with 1 and 2 whose hook makes a call the first time it runs, once `trigger` has begun.
    @Test(
        "A8 A6 B61 every call from inside every hook has its documented result",
        arguments: Hook.allCases,
        Call.allCases
    )
    func matrix(hook: Hook, call: Call) {
        let cache = Cache()
        cache[1] = 10
        cache[2] = 20
        let results = Recorder<String>()
        let isArmed = Recorder<Bool>()
        let inside: @Sendable (Cache) -> Void = { cache in
            guard isArmed.count == 0 else { return }
            isArmed.note(true)
            Self.make(call, on: cache, results)
        }
        var hooks = Cache.Hooks()
        switch hook {
        case .willAdd: hooks.willAdd = { cache, _, _ in inside(cache) }
        case .didAdd: hooks.didAdd = { cache, _, _ in inside(cache) }
        case .willRemove: hooks.willRemove = { cache, _, _, _ in inside(cache) }
        case .didRemove: hooks.didRemove = { cache, _, _, _ in inside(cache) }
        case .willRemoveAll: hooks.willRemoveAll = { cache in inside(cache) }
        case .didRemoveAll: hooks.didRemoveAll = { cache in inside(cache) }
        }
        cache.hooks = hooks
        #expect(
            finishes {
                switch hook {
                case .willAdd, .didAdd: cache[3] = 30
                case .willRemove, .didRemove: cache.removeValue(forKey: 1)
                case .willRemoveAll, .didRemoveAll: cache.removeAll()
                }
                // What the outer call leaves behind is there when it returns.
                results.note("left \(cache.keys.sorted())")
                cache.drain()
            }
        )
        #expect(results.events == Self.expectation(of: call, in: hook), "\(hook.rawValue), \(call.rawValue)")
    }

    private static func make(_ call: Call, on cache: Cache, _ results: Recorder<String>) {
        switch call {
        case .get: results.note("got \(cache.value(forKey: 2) ?? 0)")
        case .contains: results.note("contains \(cache.contains(2))")
        case .statistics: results.note("count \(cache.statistics.count) \(cache.count)")
        case .set:
            cache[4] = 40
            results.note("set, contains \(cache.contains(4))")
        case .remove: results.note("removed \(cache.removeValue(forKey: 2) ?? 0), contains \(cache.contains(2))")
        case .removeAll:
            cache.removeAll()
            results.note("contains \(cache.contains(2))")
        case .trim:
            cache.trim(toCount: 0)
            cache.trim(toCost: 0)
            cache.trim(toCostByCost: 0)
            cache.trim(unusedSince: cache.now)
            cache.removeExpired()
            results.note("contains \(cache.contains(2))")
        case .configure:
            cache.countLimit = 1
            results.note("limit \(cache.countLimit ?? -1)")
        case .pressure:
            cache.handleMemoryPressure()
            results.note("contains \(cache.contains(2))")
        case .forEach:
            do {
                try cache.forEach { _, _ in }
                results.note("visited")
            } catch {
                results.note("refused \((error as? MemoryCacheError)?.code == .calledInsideBarrier)")
            }
        case .callbacks:
            cache.setValue(40, forKey: 4, completion: nil)
            cache.removeValue(forKey: 2, completion: nil)
            cache.forEach({ _, _ in }, completion: nil)
            cache.value(forKey: 4) { _, _, _ in }
            results.note("queued")
        }
    }

    private static func expectation(of call: Call, in hook: Hook) -> [String] {
        let present: [Int]
        let afterwards: [Int]
        switch hook {
        case .willAdd: (present, afterwards) = ([1, 2], [1, 2, 3])
        case .didAdd: (present, afterwards) = ([1, 2, 3], [1, 2, 3])
        case .willRemove: (present, afterwards) = ([1, 2], [2])
        case .didRemove: (present, afterwards) = ([2], [2])
        case .willRemoveAll: (present, afterwards) = ([1, 2], [])
        case .didRemoveAll: (present, afterwards) = ([], [])
        }
        let has = present.contains(2)
        switch call {
        case .get: return ["got \(has ? 20 : 0)", "left \(afterwards)"]
        case .contains: return ["contains \(has)", "left \(afterwards)"]
        case .statistics: return ["count \(present.count) \(present.count)", "left \(afterwards)"]
        case .set: return ["set, contains false", "left \(afterwards + [4])"]
        case .remove: return ["removed 0, contains \(has)", "left \(afterwards.filter { $0 != 2 })"]
        case .removeAll, .trim, .pressure: return ["contains \(has)", "left []"]
        case .configure: return ["limit -1", "left \(afterwards.suffix(1))"]
        case .forEach: return ["refused true", "left \(afterwards)"]
        case .callbacks: return ["queued", "left \((afterwards + [4]).filter { $0 != 2 })"]
        }
    }

    @Test("writes from a hook are carried out in the order of the calls")
    func order() {
        let adds = Recorder<Int>()
        let cache = Cache()
        cache.hooks.didAdd = { cache, key, _ in
            adds.note(key)
            guard key < 3 else { return }
            cache[key * 10 + 3] = 0
            cache[key * 10 + 4] = 0
            cache[key + 1] = 0
        }
        cache[1] = 0
        #expect(adds.events == [1, 13, 14, 2, 23, 24, 3])
    }

    @Test("a hook that always writes again is a loop, not a recursion")
    func longChain() {
        let cache = Cache()
        cache.hooks.didAdd = { cache, key, _ in
            if key < 100_000 { cache[key + 1] = key }
        }
        #expect(finishes { cache[0] = 0 })
        #expect(cache.count == 100_001)
    }

    @Test("what a hook writes is there when its own call returns, whatever other threads do")
    func ownWrites() {
        let cache = MemoryCache<Int, Int>()
        cache.hooks.didAdd = { cache, key, _ in
            if key >= 0 { cache[-1 - key] = key }
        }
        let missing = Recorder<Int>()
        #expect(
            threads(4) { thread in
                for number in 0..<500 {
                    let key = thread * 1_000 + number
                    cache[key] = key
                    if !cache.contains(-1 - key) { missing.note(key) }
                }
            }
        )
        #expect(missing.events.isEmpty)
    }

    @Test("T42 B8 an enumeration may read and write; its writes come after it; one inside another is refused")
    func enumeration() throws {
        let cache = Cache()
        for key in 0..<100 { cache[key] = key }
        try cache.forEach { key, _ in
            #expect(cache[key] == key)
            cache[key + 1_000] = key
            cache.removeValue(forKey: key)
            #expect(cache.contains(key))
            #expect(throws: MemoryCacheError.self) { try cache.forEach { _, _ in } }
        }
        #expect(Set(cache.keys) == Set(1_000..<1_100))
    }

    @Test("T33 T42 what an enumeration throws comes out, and the cache goes on")
    func throwingEnumeration() {
        struct Stop: Error {}
        let cache = Cache()
        cache[1] = 1
        cache[2] = 2
        let visited = Recorder<Int>()
        #expect(throws: Stop.self) {
            try cache.forEach { key, _ in
                visited.note(key)
                throw Stop()
            }
        }
        #expect(visited.count == 1)
        cache[3] = 3
        #expect(cache.count == 3)
    }

    @Test("T33 enumeration does not count as access")
    func enumerationIsNoAccess() throws {
        let cache = Cache()
        for key in 0..<3 { cache[key] = key }
        try cache.forEach { _, _ in }
        _ = cache.keys
        _ = cache.entriesByRecency
        _ = cache.contains(0)
        _ = cache.statistics
        cache.trim(toCount: 2)
        #expect(Set(cache.keys) == [1, 2])
        #expect(cache.statistics.hits == 0)
        #expect(cache.statistics.misses == 0)
    }

    @Test("A12 a value's deinit may use the cache, however the value leaves", arguments: 0..<6)
    func deinits(way: Int) {
        let deaths = Recorder<Int>()
        let cache = MemoryCache<Int, DeinitProbe>()
        for key in 0..<3 {
            cache[key] = DeinitProbe(key) { [weak cache] number in
                _ = cache?.value(forKey: number)
                _ = cache?.contains(number)
                cache?.setValue(DeinitProbe { _ in }, forKey: 100 + number)
                cache?.removeValue(forKey: 100 + number)
                try? cache?.forEach { _, _ in }
                deaths.note(number)
            }
        }
        #expect(
            finishes {
                switch way {
                case 0: cache.removeAll()
                case 1: for key in 0..<3 { cache.removeValue(forKey: key) }
                case 2: for key in 0..<3 { cache[key] = DeinitProbe { _ in } }
                case 3: cache.trim(toCount: 0)
                case 4: cache.countLimit = 0
                default: cache.handleMemoryPressure()
                }
            }
        )
        #expect(deaths.events.sorted() == [0, 1, 2])
    }

    @Test("A12 letting go of a cache whose values' deinit uses another cache, or it itself")
    func deinitOfTheCache() {
        let other = Cache()
        let deaths = Recorder<Int>()
        let hasEnded =
            finishes {
                let cache = MemoryCache<Int, DeinitProbe>()
                for key in 0..<3 {
                    cache[key] = DeinitProbe(key) { [weak cache] number in
                        #expect(cache == nil)
                        other[number] = number
                        deaths.note(number)
                    }
                }
            }
        #expect(hasEnded)
        #expect(deaths.count == 3)
        #expect(other.count == 3)
    }
}
