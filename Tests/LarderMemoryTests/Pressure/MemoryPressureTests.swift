import LarderMemory
import TestSupport
import Testing

/// What one cache does; `MemoryPressure.send` and signals reach every cache of the process, so those tests run in
/// processes of their own: `SignalTests`.
struct MemoryPressureTests {
    private typealias Cache = MemoryCache<Int, Int>

    private func filled(_ response: PressureResponse, hooks: Cache.Hooks = .init()) -> Cache {
        let cache = Cache(configuration: .init(pressureResponse: response), hooks: hooks)
        for key in 0..<10 { cache.setValue(key, forKey: key, cost: key == 9 ? 91 : 1) }
        return cache
    }

    @Test("T2 T14 T43 A93 critical pressure removes everything before the call returns")
    func critical() {
        let cache = filled(.default)
        cache.handleMemoryPressure()
        #expect(cache.isEmptyNow)
        #expect(cache.statistics.removals == [.pressure: 10])
    }

    @Test("A92 levels are distinguished: a warning trims to the fraction in eviction order")
    func warning() {
        let cache = filled(.init(warning: .trim(toFraction: 0.95), critical: .removeAll))
        cache.handleMemoryPressure(.warning)
        // 95 % of the count is nine and a half; 95 % of the cost of 100 needs five of the cheap ones to go.
        #expect(Set(cache.keys) == [5, 6, 7, 8, 9])
        #expect(PressureLevel.warning < .critical)
    }

    @Test("T14 T22 A93 A94 without a response nothing goes, and the hook runs all the same")
    func noResponse() {
        let levels = Recorder<PressureLevel>()
        var hooks = Cache.Hooks()
        hooks.didReceiveMemoryPressure = { cache, level in
            #expect(cache.count == 10)
            levels.note(level)
        }
        let cache = filled(.none, hooks: hooks)
        cache.handleMemoryPressure(.warning)
        cache.handleMemoryPressure(.critical)
        #expect(levels.waits(for: 2))
        #expect(Set(levels.events) == [.warning, .critical])
        #expect(cache.count == 10)
    }

    @Test("T22 the hook runs beside other work: reads and writes do not wait for it")
    func hookOutsideTheBarrier() {
        let isInside = Recorder<Bool>()
        let mayLeave = Recorder<Bool>()
        var hooks = Cache.Hooks()
        hooks.didReceiveMemoryPressure = { _, _ in
            isInside.note(true)
            _ = mayLeave.waits(for: 1)
        }
        let cache = filled(.default, hooks: hooks)
        cache.handleMemoryPressure()
        #expect(isInside.waits(for: 1))
        let hasEnded = finishes {
            cache[1] = 1
            _ = cache[1]
        }
        mayLeave.note(true)
        #expect(hasEnded)
    }

    @Test("T15 T23 T44 entering background removes everything if configured, and calls the hook either way")
    func background() {
        let counts = Recorder<Int>()
        var hooks = Cache.Hooks()
        hooks.didEnterBackground = { counts.note($0.count) }
        let cache = filled(.default, hooks: hooks)
        cache.clearsOnBackground = false
        cache.enterBackground()
        #expect(counts.waits(for: 1))
        cache.clearsOnBackground = true
        cache.enterBackground()
        #expect(cache.isEmptyNow)
        #expect(counts.waits(for: 2))
        #expect(counts.events == [10, 0])
    }
}
