import Dispatch
import Glibc
import LarderMemory
import TestSupport
import Testing

/// Each in a process of its own: signals are the whole process's, and so are the caches that they reach.
struct SignalTests {
    @Test("A96 B13 a signal in the first instant after listening does not kill the process, and is not lost")
    func firstInstant() async {
        await #expect(processExitsWith: .success) {
            let cache = MemoryCache<Int, Int>()
            cache[1] = 1
            MemoryPressure.listen()
            kill(getpid(), SIGUSR1)
            #expect(eventually { cache.count == 0 })
        }
    }

    @Test("A96 without listening the signal kills, as the system has it")
    func notListening() async {
        await #expect(processExitsWith: .signal(SIGUSR1)) {
            let cache = MemoryCache<Int, Int>()
            cache[1] = 1
            kill(getpid(), SIGUSR1)
            _ = eventually { false }
        }
    }

    @Test("A96 T2 of a burst of a hundred at least one empties the cache, and the hook runs")
    func burst() async {
        await #expect(processExitsWith: .success) {
            MemoryPressure.listen()
            MemoryPressure.listen()
            let levels = Recorder<PressureLevel>()
            let cache = MemoryCache<Int, Int>()
            cache.hooks.didReceiveMemoryPressure = { _, level in levels.note(level) }
            for key in 0..<1_000 { cache[key] = key }
            for _ in 0..<100 { kill(getpid(), SIGUSR1) }
            #expect(eventually { cache.count == 0 })
            #expect(levels.waits(for: 1))
            #expect(levels.events.allSatisfy { $0 == .critical })
            // Still listening.
            cache[1] = 1
            kill(getpid(), SIGUSR1)
            #expect(eventually { cache.count == 0 })
        }
    }

    @Test("A96 B13 two caches both react, each as configured; a released one does no harm")
    func severalCaches() async {
        await #expect(processExitsWith: .success) {
            MemoryPressure.listen()
            let first = MemoryCache<Int, Int>()
            let second = MemoryCache<String, String>()
            let third = MemoryCache<Int, Int>(configuration: .init(pressureResponse: .none))
            let calls = Recorder<Int>()
            third.hooks.didReceiveMemoryPressure = { _, _ in calls.note(3) }
            do {
                let released = MemoryCache<Int, Int>()
                released.hooks.didReceiveMemoryPressure = { _, _ in calls.note(0) }
                released[1] = 1
            }
            first[1] = 1
            second["a"] = "a"
            third[1] = 1
            kill(getpid(), SIGUSR1)
            #expect(eventually { first.count == 0 && second.count == 0 })
            #expect(calls.waits(for: 1))
            #expect(third.count == 1)
            #expect(Set(calls.events) == [3])
        }
    }

    @Test("B13 A96 after cancelling the process lives on and nothing reacts; listening again works at once")
    func cancelAndListenAgain() async {
        await #expect(processExitsWith: .success) {
            let cache = MemoryCache<Int, Int>()
            for _ in 0..<20 {
                MemoryPressure.listen()
                MemoryPressure.stopListening()
                kill(getpid(), SIGUSR1)
                cache[1] = 1
                MemoryPressure.listen()
                // Whatever the cancelled source still does must not make the new one deaf.
                #expect(
                    eventually {
                        kill(getpid(), SIGUSR1)
                        return cache.count == 0
                    }
                )
            }
            MemoryPressure.stopListening()
            MemoryPressure.stopListening()
            #expect(eventually { true })
            cache[2] = 2
            for _ in 0..<10 { kill(getpid(), SIGUSR1) }
            cache.drain()
            #expect(cache.contains(2))
        }
    }

    @Test("T43 send reaches every cache with its level, without a signal")
    func send() async {
        await #expect(processExitsWith: .success) {
            let cache = MemoryCache<Int, Int>()
            let levels = Recorder<PressureLevel>()
            cache.hooks.didReceiveMemoryPressure = { _, level in levels.note(level) }
            for key in 0..<10 { cache[key] = key }
            MemoryPressure.send(.warning)
            #expect(levels.waits(for: 1))
            #expect(cache.count == 5)
            MemoryPressure.send()
            #expect(levels.waits(for: 2))
            #expect(cache.isEmptyNow)
            #expect(levels.events == [.warning, .critical])
        }
    }

    @Test("A97 pressure during a hook that takes long neither blocks the sender nor gets lost")
    func busyCache() async {
        await #expect(processExitsWith: .success) {
            let isInside = Recorder<Bool>()
            let mayLeave = Recorder<Bool>()
            let cache = MemoryCache<Int, Int>()
            cache.hooks.didAdd = { _, _, _ in
                isInside.note(true)
                _ = mayLeave.waits(for: 1)
            }
            cache.setValue(1, forKey: 1, completion: nil)
            #expect(isInside.waits(for: 1))
            for _ in 0..<10 { MemoryPressure.send() }
            mayLeave.note(true)
            cache.drain()
            #expect(cache.isEmptyNow)
        }
    }

    @Test("other signals can be listened to beside it")
    func otherSignal() async {
        await #expect(processExitsWith: .success) {
            MemoryPressure.listen(to: SIGUSR1)
            MemoryPressure.listen(to: SIGUSR2)
            let cache = MemoryCache<Int, Int>()
            for signal in [SIGUSR2, SIGUSR1, SIGUSR2] {
                cache[1] = 1
                kill(getpid(), signal)
                #expect(eventually { cache.count == 0 })
            }
        }
    }
}
