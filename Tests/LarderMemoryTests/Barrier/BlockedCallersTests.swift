import Dispatch
import LarderMemory
import TestSupport
import Testing

/// Sync calls made of a queue hop and a semaphore starve the thread pool: twelve such callers never end.
struct BlockedCallersTests {
    @Test(
        "A2 A3 B2 a thousand synchronous callers on a concurrent queue end",
        arguments: [16, 1_000]
    )
    func blockedCallers(count: Int) {
        let cache = MemoryCache<String, Int>()
        cache["k"] = 0
        let done = Recorder<Int>()
        let queue = DispatchQueue(label: "callers", attributes: .concurrent)
        for number in 0..<count {
            queue.async {
                _ = cache.value(forKey: "k")
                cache.setValue(number, forKey: "k")
                done.note(number)
            }
        }
        #expect(done.waits(for: count))
    }

    @Test("A2 A3 the same through barriers, with hooks and asynchronous writes under way")
    func blockedBarrierCallers() {
        var hooks = MemoryCache<String, Int>.Hooks()
        let adds = Recorder<Int>()
        hooks.didAdd = { _, _, value in adds.note(value) }
        let cache = MemoryCache<String, Int>(hooks: hooks)
        let done = Recorder<Int>()
        let queue = DispatchQueue(label: "callers", attributes: .concurrent)
        for number in 0..<1_000 {
            queue.async {
                cache.setValue(number, forKey: "k", completion: nil)
                _ = cache.value(forKey: "k")
                cache.setValue(number, forKey: "k")
                _ = cache.keys
                done.note(number)
            }
        }
        #expect(done.waits(for: 1_000))
        #expect(adds.count == 2_000)
    }

    @Test("B2 more tasks than processors make synchronous calls and all end")
    func tasks() async {
        let cache = MemoryCache<Int, Int>()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<64 {
                group.addTask {
                    for key in 0..<100 {
                        cache[key] = number
                        _ = cache[key]
                        _ = cache.keys
                    }
                }
            }
        }
        #expect(cache.count == 100)
    }

    @Test("A4 B10 behind 1,500 queued writes a get returns, having seen them, and a timer keeps ticking")
    func backlog() {
        let cache = MemoryCache<Int, Int>()
        let ticks = Recorder<Int>()
        let timer = DispatchSource.makeTimerSource(queue: .global())
        timer.schedule(deadline: .now(), repeating: .milliseconds(10))
        timer.setEventHandler { ticks.note(0) }
        timer.activate()
        for number in 0..<1_500 { cache.setValue(number, forKey: number, completion: nil) }
        #expect(cache.value(forKey: 1_499) == 1_499)
        #expect(cache.count == 1_500)
        // A get from another thread has nothing to line up behind for long.
        #expect(finishes { _ = cache.value(forKey: 0) })
        #expect(ticks.waits(for: 3))
        timer.cancel()
    }
}
