import TestSupport
import Testing

@testable import LarderMemory

/// With the system's clock, as the timer runs in real time.
struct TrimTimerTests {
    private func hooks(noting removals: Recorder<RemovalCause>) -> MemoryCache<Int, Int>.Hooks {
        var hooks = MemoryCache<Int, Int>.Hooks()
        hooks.didRemove = { _, _, _, cause in removals.note(cause) }
        return hooks
    }

    @Test("T5 T13 A53 V63 what is too old goes without any call and without a run loop")
    func goesByItself() {
        let removals = Recorder<RemovalCause>()
        let cache = MemoryCache<Int, Int>(
            configuration: .init(ageLimit: .milliseconds(50)),
            hooks: hooks(noting: removals)
        )
        cache[1] = 1
        #expect(removals.waits(for: 1))
        #expect(removals.events == [.evictedByAge])
        #expect(cache.count == 0)
        // The timer had nothing left to do; a new entry starts it again.
        cache[2] = 2
        #expect(removals.waits(for: 2))
    }

    @Test("A53 the timer follows a limit that is changed while it runs")
    func followsChanges() {
        let removals = Recorder<RemovalCause>()
        let cache = MemoryCache<Int, Int>(
            configuration: .init(ageLimit: .seconds(3_600)),
            hooks: hooks(noting: removals)
        )
        cache[1] = 1
        cache.setValue(2, forKey: 2, expiration: .seconds(3_600))
        cache.idleLimit = .milliseconds(30)
        #expect(removals.waits(for: 2))
        #expect(removals.events == [.evictedByIdleness, .evictedByIdleness])
    }

    @Test("an earlier life moves the timer forward")
    func earlierLife() {
        let removals = Recorder<RemovalCause>()
        let cache = MemoryCache<Int, Int>(hooks: hooks(noting: removals))
        cache.setValue(1, forKey: 1, expiration: .seconds(3_600))
        cache.setValue(2, forKey: 2, expiration: .milliseconds(30))
        #expect(removals.waits(for: 1))
        #expect(cache.keys == [1])
    }

    @Test("T13 taking the limit away stops the trimming")
    func stops() {
        let removals = Recorder<RemovalCause>()
        let cache = MemoryCache<Int, Int>(
            configuration: .init(ageLimit: .milliseconds(40)),
            hooks: hooks(noting: removals)
        )
        cache[1] = 1
        cache.ageLimit = nil
        #expect(!removals.waits(for: 1, within: .milliseconds(120)))
        #expect(cache[1] == 1)
    }

    @Test("A51 changing a limit two hundred times leaves one timer, which fires when something is due")
    func noChains() {
        let removals = Recorder<RemovalCause>()
        let cache = MemoryCache<Int, Int>(hooks: hooks(noting: removals))
        cache[0] = 0
        for _ in 0..<100 {
            cache.ageLimit = .milliseconds(100)
            cache.ageLimit = .milliseconds(200)
        }
        #expect(removals.waits(for: 1))
        for key in 1...3 {
            cache[key] = key
            #expect(removals.waits(for: key + 1))
        }
        // Once for each entry, and now and then a few milliseconds early because the clock is coarse.
        #expect((4...24).contains(cache.timer.firings))
        #expect(removals.events == Array(repeating: .evictedByAge, count: 4))
    }

    @Test("A52 the timer does not keep the cache alive")
    func weakly() {
        weak var released: MemoryCache<Int, Int>?
        do {
            let cache = MemoryCache<Int, Int>(configuration: .init(ageLimit: .seconds(3_600)))
            cache[1] = 1
            released = cache
        }
        #expect(released == nil)
    }

    @Test("a million entries of one life all go, in barriers that let readers in")
    func manyAtOnce() {
        let cache = MemoryCache<Int, Int>()
        #if DEBUG
            let count = 50_000
        #else
            let count = 1_000_000
        #endif
        for key in 0..<count { cache.setValue(key, forKey: key, expiration: .milliseconds(20)) }
        #expect(eventually { cache.count == 0 })
        #expect(cache.statistics.removals == [.expired: UInt64(count)])
    }
}
