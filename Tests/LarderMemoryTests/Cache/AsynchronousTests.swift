import Dispatch
import LarderMemory
import TestSupport
import Testing

struct AsynchronousTests {
    @Test("T3 onQueue is the asynchronous form of every call")
    func onQueue() async {
        let cache = MemoryCache<Int, Int>()
        cache.setValue(1, forKey: 1, completion: nil)
        let count = await cache.onQueue { cache in
            cache.setValue(2, forKey: 2)
            return cache.count
        }
        #expect(count == 2)
        await cache.onQueue { $0.removeAll() }
        #expect(cache.isEmptyNow)
    }

    @Test("onQueue passes on what the work throws, with its type")
    func onQueueThrows() async {
        struct Refusal: Error, Equatable {}
        let cache = MemoryCache<Int, Int>()
        await #expect(throws: Refusal()) {
            try await cache.onQueue { _ throws(Refusal) -> Int in throw Refusal() }
        }
    }

    @Test("onQueue runs its work once although the task was cancelled")
    func onQueueCancelled() async {
        let cache = MemoryCache<Int, Int>()
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            await cache.onQueue { $0[1, default: 0] += 1 }
        }
        await task.value
        #expect(cache[1] == 1)
    }

    @Test("V41 drain finishes queued calls with their callbacks, expiry and releases")
    func drain() {
        let clock = ManualClock()
        let deaths = Recorder<Int>()
        let cache = MemoryCache<Int, DeinitProbe>(clock: .manual(clock))
        for key in 0..<3_000 {
            cache.setValue(DeinitProbe { deaths.note($0) }, forKey: key, expiration: .seconds(1))
        }
        clock.advance(by: .seconds(2))
        let answers = Recorder<Int>()
        for key in 5_000..<5_100 {
            cache.setValue(DeinitProbe { deaths.note($0) }, forKey: key) { _, key, _ in answers.note(key) }
        }
        cache.removeExpired { cache in answers.note(cache.count) }
        cache.drain()
        #expect(answers.count == 101)
        #expect(answers.events.last == 100)
        #expect(cache.count == 100)
        #expect(deaths.count == 3_000)
    }

    @Test("drained is drain without blocking a thread")
    func drained() async {
        let cache = MemoryCache<Int, Int>()
        let answers = Recorder<Int>()
        for key in 0..<100 { cache.setValue(key, forKey: key) { _, key, _ in answers.note(key) } }
        await cache.drained()
        #expect(answers.count == 100)
    }

    @Test("drain from a hook or a block of the queue returns")
    func drainFromInside() {
        var hooks = MemoryCache<Int, Int>.Hooks()
        hooks.didAdd = { cache, _, _ in cache.drain() }
        let cache = MemoryCache<Int, Int>(hooks: hooks)
        #expect(
            finishes {
                cache.setValue(1, forKey: 1)
                cache.queue.sync { cache.drain() }
            }
        )
        #expect(cache.count == 1)
    }

    @Test("T24 the shared cache is one for String keys and values of any kind")
    func shared() {
        let key = "SharedTests.key"
        MemoryCache.shared[key] = 1
        #expect(MemoryCache<String, any Sendable>.shared[key] as? Int == 1)
        MemoryCache.shared[key] = "text"
        #expect(MemoryCache.shared[key] as? String == "text")
        #expect(MemoryCache.shared === MemoryCache.shared)
        MemoryCache.shared.removeValue(forKey: key)
        #expect(MemoryCache.shared[key] == nil)
    }
}

extension MemoryCache {
    fileprivate subscript(key: Key, default value: Value) -> Value {
        get { self.value(forKey: key) ?? value }
        set { setValue(newValue, forKey: key) }
    }
}
