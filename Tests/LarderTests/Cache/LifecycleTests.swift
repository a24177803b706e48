import Dispatch
import FoundationEssentials
import Glibc
import LarderMemory
import LarderStore
import TestSupport
import Testing
import Threading

@testable import Larder

struct LifecycleTests {
    @Test("V78 close flushes; after reopening everything is there")
    func closeFlushes() throws {
        let fixture = try CacheFixture()
        var cache = try fixture.open()
        for index in 0..<100 { cache.setValue("v\(index)", forKey: "k\(index)") }
        try cache.close()
        cache = try fixture.open()
        #expect(cache.statistics.disk?.entries == 100)
        for index in 0..<100 { #expect(cache.hit(forKey: "k\(index)")?.value == "v\(index)") }
        try cache.close()
    }

    @Test("V68 calls after close are misses and do nothing")
    func afterClose() throws {
        let fixture = try CacheFixture()
        let cache = try fixture.open()
        cache.setValue("v", forKey: "k")
        try cache.close()
        try cache.close()
        #expect(cache.value(forKey: "k") == nil)
        cache.setValue("w", forKey: "k")
        #expect(cache.value(forKey: "k") == nil)
        #expect(!cache.contains("k"))
        cache.removeValue(forKey: "k")
        cache.removeAll()
        cache.removeExpired()
        try cache.flush()
        #expect(cache.memory.count == 0)
    }

    @Test("A6 A80 a close that an event handler must not make can be made elsewhere")
    func closeInEventHandler() throws {
        let fixture = try CacheFixture()
        let box = CacheBox()
        let refusals = Recorder<CacheError?>()
        let cache = try TieredCache<String, String>(
            configuration: .init(disk: .init(directory: fixture.directory.path("store"))),
            codec: .string,
            onError: { _, _ in
                do throws(CacheError) {
                    try box.cache?.close()
                    refusals.note(nil)
                } catch {
                    refusals.note(error)
                }
            },
            beforePromotion: nil,
            faults: .init(beforeCommit: { keys in keys.contains(Array("bad".utf8)) ? .init(result: EIO) : nil })
        )
        box.cache = cache
        cache.setValue("v", forKey: "bad")
        #expect(refusals.waits(for: 1))
        #expect(refusals.events.first??.message.contains("event handler") == true)
        box.cache = nil
        try? cache.close()
        #expect(cache.isClosed)
    }

    @Test(
        "A43 A59 dates beyond every clock are dates like others",
        arguments: [
            -Double.infinity, -1e300, -1e18, 0, 1e18, 1e300, .infinity,
        ]
    )
    func farDates(seconds: Double) throws {
        let fixture = try CacheFixture()
        let cache = try fixture.open()
        cache.setValue("v", forKey: "k")
        fixture.advance(by: .seconds(1))
        cache.trim(unusedSince: Date(timeIntervalSince1970: seconds))
        #expect(cache.memory.count == (seconds > 0 ? 0 : 1))
        try cache.close()
    }

    @Test(
        "a directory is for one cache of the process at a time; a second one is refused by name",
        arguments: [true, false]
    )
    func oneCache(closes: Bool) throws {
        let fixture = try CacheFixture()
        var first: TieredCache<String, String>? = try fixture.open()
        let path = fixture.directory.path("store")
        first?.setValue("v", forKey: "k")
        let error = #expect(throws: CacheError.self) { try fixture.open() }
        #expect(error?.code == .diskUnavailable)
        #expect(error?.message.contains(path) == true)
        // By another path as well, and for a cache of other values.
        var configuration = try #require(first?.configuration)
        configuration.disk?.directory = path + "/../store/."
        #expect(throws: CacheError.self) {
            try TieredCache<String, Int>(configuration: configuration, codec: .integer)
        }
        // Who was refused has taken nothing from the first.
        try first?.flush()
        #expect(first?.value(forKey: "k", in: .disk) == "v")
        // The store itself can be looked at beside it.
        do {
            let store = try Store.open(
                at: path,
                configuration: StoreConfiguration(budget: .mebibytes(64)),
                clock: fixture.time.clock
            )
            #expect(store.statistics.entries == 1)
        }
        if closes { try first?.close() } else { first = nil }
        let second = try fixture.open()
        #expect(second.value(forKey: "k") == "v")
        #expect(first?.value(forKey: "k") == nil)
        try second.close()
    }

    @Test("a cache on the directory of an open store is refused, and gets it once that is let go of")
    func openStore() throws {
        let fixture = try CacheFixture()
        let path = fixture.directory.path("store")
        let store = Lock<Store?>(try Store.open(at: path, configuration: .init(budget: .mebibytes(64))))
        #expect(throws: CacheError.self) { try fixture.open() }
        let thread = try OSThread {
            idle(for: .milliseconds(20))
            let last = store.withLock { $0.take() }
            withExtendedLifetime(last) {}
        }
        let cache = try fixture.open()
        thread.join()
        cache.setValue("v", forKey: "k")
        try cache.flush()
        #expect(cache.value(forKey: "k", in: .disk) == "v")
        try cache.close()
    }

    @Test("V75 B23 a value that cannot be decoded is a miss, counted and removed")
    func undecodable() throws {
        let fixture = try CacheFixture()
        let strings = try fixture.open()
        strings.setValue("no number", forKey: "k")
        try strings.close()
        let numbers = try TieredCache<String, Int>(configuration: strings.configuration, codec: .integer)
        #expect(numbers.value(forKey: "k") == nil)
        #expect(numbers.statistics.disk?.damaged == 1)
        numbers.setValue(7, forKey: "k")
        #expect(numbers.value(forKey: "k", in: .disk) == 7)
        try numbers.close()
    }

    @Test("A5 a codec may call the cache")
    func reentrantCodec() throws {
        let fixture = try CacheFixture()
        let strings = try fixture.open()
        strings.setValue("inner", forKey: "inner")
        let box = CacheBox()
        let codec = ValueCodec<String>.custom(
            id: 200,
            encode: { value in Array(value.utf8) + Array((box.cache?.value(forKey: "x") ?? "").utf8) },
            decode: { bytes in
                _ = box.cache?.value(forKey: "x")
                box.cache?.setValue("written while decoding", forKey: "y")
                return String(decoding: bytes, as: UTF8.self)
            }
        )
        var configuration = strings.configuration
        configuration.disk?.directory = fixture.directory.path("other")
        let cache = try TieredCache<String, String>(configuration: configuration, codec: codec)
        box.cache = cache
        cache.setValue("v", forKey: "k")
        cache.removeAll(in: .memory)
        #expect(cache.value(forKey: "k") == "v")
        #expect(cache.value(forKey: "y") == "written while decoding")
        box.cache = nil
        try cache.close()
        try strings.close()
    }

    @Test("A8 A71 a hook that writes does not wait for callers that have room in the queue and wait for the hook")
    func hookBesideFullQueue() throws {
        let directory = try TemporaryDirectory()
        var store = StoreConfiguration(budget: .mebibytes(64))
        store.queue = .init(bytes: .kibibytes(4), overflow: .wait)
        let box = CacheBox()
        let isInside = Recorder<Bool>()
        let text = String(repeating: "x", count: 900)
        var hooks = MemoryCache<String, String>.Hooks()
        hooks.didAdd = { _, key, _ in
            guard key == "outer", let cache = box.cache else { return }
            isInside.note(true)
            // The others have room for three records, which they cannot queue before this returns.
            while cache.statistics.disk?.queuedBytes ?? 0 < 3000 { idle(for: .microseconds(200)) }
            cache.setValue(text, forKey: "inner")
            cache.removeValue(forKey: "outer")
            #expect(cache.memory.contains("outer"))
        }
        let cache = try TieredCache<String, String>(
            configuration: .init(disk: .init(directory: directory.path("store"), store: store)),
            codec: .string,
            hooks: hooks
        )
        box.cache = cache
        let isDone = threads(5) { number in
            if number > 0 { _ = isInside.waits(for: 1) }
            cache.setValue(number == 0 ? "" : text, forKey: number == 0 ? "outer" : "k\(number)")
        }
        #expect(isDone)
        box.cache = nil
        guard isDone else { return }
        for tier in [CacheTiers.memory, .disk] {
            #expect(cache.value(forKey: "inner", in: tier, promotes: false) == text)
            #expect(cache.value(forKey: "outer", in: tier, promotes: false) == nil)
        }
        try cache.close()
    }

    @Test("A2 B2 a thousand blocked callers end")
    func blockedCallers() throws {
        let fixture = try CacheFixture()
        let cache = try fixture.open()
        let queue = DispatchQueue(label: "callers", attributes: .concurrent)
        let done = Recorder<Int>()
        for index in 0..<1000 {
            queue.async {
                cache.setValue("v", forKey: "k\(index % 10)")
                _ = cache.value(forKey: "k\(index % 7)")
                done.note(index)
            }
        }
        #expect(done.waits(for: 1000))
        try cache.close()
    }

    /// In a process of its own: the signal reaches every cache of a process, those of other tests too.
    @Test("M20 the pressure signal empties memory and leaves the disk whole")
    func pressureSignal() async {
        await #expect(processExitsWith: .success) {
            let fixture = try CacheFixture()
            var configuration = TieredCacheConfiguration(listensToPressureSignal: true)
            configuration.disk = .init(directory: fixture.directory.path("store"))
            let cache = try TieredCache<String, String>(configuration: configuration, codec: .string)
            for index in 0..<100 { cache.setValue("v", forKey: "k\(index)") }
            kill(getpid(), SIGUSR1)
            for _ in 0..<1000 where cache.memory.count > 0 { try await Task.sleep(for: .milliseconds(10)) }
            #expect(cache.memory.count == 0)
            #expect(cache.hit(forKey: "k1")?.tier == .disk)
            #expect(cache.hit(forKey: "k1")?.tier == .memory)
            try cache.close()
        }
    }

    private final class CacheBox: @unchecked Sendable {
        // because: set and read on the test's one thread.
        var cache: TieredCache<String, String>?
    }
}
