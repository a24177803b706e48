import LarderMemory
import TestSupport
import Testing

struct HooksTests {
    private typealias Cache = MemoryCache<String, Int>

    /// Hooks that note what they are told.
    private func noting(_ events: Recorder<String>) -> Cache.Hooks {
        var hooks = Cache.Hooks()
        hooks.willAdd = { cache, key, value in events.note("will add \(key)=\(value), has \(cache.contains(key))") }
        hooks.didAdd = { cache, key, value in events.note("did add \(key)=\(value), has \(cache.contains(key))") }
        hooks.willRemove = { cache, key, value, cause in
            events.note("will remove \(key)=\(value) \(cause), has \(cache.contains(key))")
        }
        hooks.didRemove = { cache, key, value, cause in
            events.note("did remove \(key)=\(value) \(cause), has \(cache.contains(key))")
        }
        hooks.willRemoveAll = { cache in events.note("will remove all of \(cache.count)") }
        hooks.didRemoveAll = { cache in events.note("did remove all, \(cache.count) left") }
        return hooks
    }

    @Test("T16 T19 the add hooks run just before and just after")
    func add() {
        let events = Recorder<String>()
        let cache = Cache(hooks: noting(events))
        cache["a"] = 1
        #expect(events.events == ["will add a=1, has false", "did add a=1, has true"])
    }

    @Test("T17 T20 A63 the remove hooks get key, value and cause")
    func remove() {
        let events = Recorder<String>()
        let cache = Cache(hooks: noting(events))
        cache["a"] = 1
        events.removeAll()
        cache.removeValue(forKey: "a")
        #expect(events.events == ["will remove a=1 removed, has true", "did remove a=1 removed, has false"])
    }

    @Test("A62 removing what is not there calls no hook")
    func removeAbsent() {
        let events = Recorder<String>()
        let cache = Cache(hooks: noting(events))
        cache.removeValue(forKey: "x")
        cache["x"] = nil
        cache.removeValue(forKey: "x", completion: nil)
        cache.trim(toCount: 0)
        cache.removeExpired()
        cache.drain()
        #expect(events.events.isEmpty)
    }

    @Test("A61 replacing calls the remove pair, cause replaced, and the add pair")
    func replace() {
        let events = Recorder<String>()
        let cache = Cache(hooks: noting(events))
        cache["a"] = 1
        events.removeAll()
        cache["a"] = 2
        #expect(
            events.events == [
                "will remove a=1 replaced, has true", "will add a=2, has true", "did remove a=1 replaced, has true",
                "did add a=2, has true",
            ]
        )
    }

    @Test("T18 T21 A61 V60 removeAll calls its own pair only, also on an empty cache; letting go of a cache none")
    func removeAll() {
        let events = Recorder<String>()
        do {
            let cache = Cache(hooks: noting(events))
            cache["a"] = 1
            cache["b"] = 2
            events.removeAll()
            cache.removeAll()
            cache.removeAll()
            cache["c"] = 3
            cache.removeValue(forKey: "c", completion: nil)
            cache["d"] = 4
            #expect(
                events.removeAll().prefix(4) == [
                    "will remove all of 2", "did remove all, 0 left", "will remove all of 0", "did remove all, 0 left",
                ]
            )
        }
        #expect(events.events.isEmpty)
    }

    @Test("T17 every way to leave has its cause, and its hooks once per entry")
    func causes() {
        let clock = ManualClock()
        let removals = Recorder<String>()
        var hooks = Cache.Hooks()
        hooks.willRemove = { _, key, _, cause in removals.note("will \(key) \(cause)") }
        hooks.didRemove = { _, key, _, cause in removals.note("did \(key) \(cause)") }
        let cache = Cache(hooks: hooks, clock: .manual(clock))
        func check(_ cause: RemovalCause, _ change: () -> Void) {
            cache.configure { $0 = MemoryCacheConfiguration() }
            cache.setValue(1, forKey: "k", cost: 2, expiration: .seconds(5))
            removals.removeAll()
            change()
            #expect(removals.removeAll() == ["will k \(cause)", "did k \(cause)"])
            #expect(cache.isEmptyNow)
        }
        check(.removed) { cache.trim(toCost: 1) }
        check(.removed) { cache.trim(toCostByCost: 1) }
        check(.removed) { cache.trim(toCount: 0) }
        check(.removed) { cache.trim(unusedSince: clock.now.advanced(by: .seconds(1))) }
        check(.evictedByCost) { cache.costLimit = 1 }
        check(.evictedByCount) { cache.countLimit = 0 }
        check(.pressure) { cache.handleMemoryPressure() }
        check(.expired) {
            clock.advance(by: .seconds(6))
            cache.removeExpired()
        }
        check(.evictedByAge) {
            clock.advance(by: .seconds(4))
            cache.ageLimit = .seconds(3)
        }
        check(.evictedByIdleness) {
            clock.advance(by: .seconds(4))
            cache.idleLimit = .seconds(3)
        }
        check(.evictedByCost) {
            cache.costLimit = 2
            cache.setValue(2, forKey: "k", cost: 3)
        }
    }

    @Test("T16 T17 T19 T20 while a hook runs, reads and writes of other threads wait")
    func hooksHoldTheBarrier() {
        let order = Recorder<String>()
        let isInside = Recorder<Bool>()
        let mayLeave = Recorder<Bool>()
        var hooks = Cache.Hooks()
        hooks.didAdd = { _, key, _ in
            guard key == "slow" else { return }
            isInside.note(true)
            _ = mayLeave.waits(for: 1)
            order.note("hook")
        }
        let cache = Cache(hooks: hooks)
        let haveEnded =
            threads(3) { thread in
                switch thread {
                case 0: cache["slow"] = 1
                case 1:
                    _ = isInside.waits(for: 1)
                    _ = cache["slow"]
                    order.note("read")
                default:
                    _ = isInside.waits(for: 1)
                    // Long enough for the reader to have read, if anything let it.
                    #expect(!order.waits(for: 1, within: .milliseconds(50)))
                    mayLeave.note(true)
                    cache["other"] = 1
                    order.note("write")
                }
            }
        #expect(haveEnded)
        #expect(order.events.first == "hook")
        #expect(order.count == 3)
    }

    @Test("hooks can be exchanged at run time, also from inside a hook")
    func exchange() {
        let events = Recorder<String>()
        let cache = Cache()
        cache["a"] = 1
        cache.hooks.didAdd = { cache, key, _ in
            events.note(key)
            cache.hooks.didAdd = nil
        }
        cache["b"] = 1
        cache["c"] = 1
        #expect(events.events == ["b"])
        #expect(cache.hooks.didAdd == nil)
    }
}
