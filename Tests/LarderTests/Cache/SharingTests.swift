import FoundationEssentials
import Glibc
import LarderMemory
import LarderStore
import Synchronization
import TestSupport
import Testing
import Threading

@testable import Larder

/// Two processes whose caches share a disk.
@Suite(.timeLimit(.minutes(30)))
struct SharingTests {
    private static func configuration(_ path: String) -> TieredCacheConfiguration {
        var store = StoreConfiguration(budget: .mebibytes(64), durability: .fast, expiryInterval: .zero)
        store.multiProcess = true
        return TieredCacheConfiguration(disk: .init(directory: path, store: store))
    }

    private static func cache(_ path: String) throws -> TieredCache<String, String> {
        try TieredCache(configuration: configuration(path), codec: .string)
    }

    /// In the child: a change each time that the file `go` is there, and `gone` when it is committed.
    private static func change(at path: String, _ changes: Int) throws {
        let cache = try cache(path + "/store")
        for number in 0..<changes {
            awaitFile(path + "/go")
            switch number % 3 {
            case 0: cache.setValue("theirs \(number)", forKey: "k")
            case 1: cache.removeValue(forKey: "k")
            default: cache.removeAll()
            }
            try cache.flush()
            makeFile(path + "/gone")
        }
        try cache.close()
    }

    @Test("Y14 V33 memory serves nothing that another process has replaced, removed or cleared")
    func replaced() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path
        let changes = 30
        let cache = try Self.cache(path + "/store")
        let problems = Lock<[String]>([])
        let thread = try OSThread {
            for number in 0..<changes {
                cache.setValue("ours \(number)", forKey: "k")
                cache.setValue("other", forKey: "o")
                try? cache.flush()
                // More than once: what a clear has left is removed little by little, in commits that are noticed as well.
                if !isTakenUp("k", cache) { problems.withLock { $0.append("\(number): not in memory") } }
                makeFile(path + "/go")
                awaitFile(path + "/gone")
                let expected = number % 3 == 0 ? "theirs \(number)" : nil
                if cache.contains("k") != (expected != nil) { problems.withLock { $0.append("\(number): contains") } }
                let value = cache.value(forKey: "k")
                if value != expected { problems.withLock { $0.append("\(number): \(value ?? "nil")") } }
                let other = number % 3 == 2 ? nil : "other"
                if cache.value(forKey: "o") != other { problems.withLock { $0.append("\(number): other") } }
                // Taken up again, it is served from memory until the next change.
                if other != nil, !isTakenUp("o", cache) {
                    problems.withLock { $0.append("\(number): not taken up") }
                }
            }
        }
        await #expect(processExitsWith: .exitCode(0)) { [path = path as String, changes = changes as Int] in
            try Self.change(at: path, changes)
            exit(0)
        }
        thread.join()
        #expect(problems.withLock { $0 } == [])
        #expect(cache.statistics.disk?.externalChanges ?? 0 >= UInt64(changes))
        try cache.close()
    }

    @Test("Y14 what another process has changed leaves memory without a read")
    func idle() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path
        let cache = try Self.cache(path + "/store")
        cache.setValue("ours", forKey: "k")
        try await cache.flush()
        #expect(cache.memory.contains("k"))
        makeFile(path + "/go")
        await #expect(processExitsWith: .exitCode(0)) { [path = path as String] in
            try Self.change(at: path, 1)
            exit(0)
        }
        #expect(await eventually { !cache.memory.contains("k") })
        #expect(cache.value(forKey: "k") == "theirs 0")
        #expect(isTakenUp("k", cache))
        try cache.close()
    }

    @Test("Y14 memory is emptied once for each change, however many threads meet it")
    func once() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path
        let emptied = Atomic<Int>(0)
        var hooks = MemoryCache<String, String>.Hooks()
        hooks.didRemoveAll = { _ in emptied.add(1, ordering: .relaxed) }
        let cache = try TieredCache<String, String>(
            configuration: Self.configuration(path + "/store"),
            codec: .string,
            hooks: hooks
        )
        cache.setValue("ours", forKey: "k")
        try await cache.flush()
        let readers = try (0..<4).map { _ in
            try OSThread {
                while cache.value(forKey: "end") == nil { _ = cache.value(forKey: "k") }
            }
        }
        let pacer = try OSThread {
            for _ in 0..<30 {
                makeFile(path + "/go")
                awaitFile(path + "/gone")
            }
            cache.setValue("end", forKey: "end")
        }
        await #expect(processExitsWith: .exitCode(0)) { [path = path as String] in
            try Self.change(at: path, 30)
            exit(0)
        }
        pacer.join()
        for reader in readers { reader.join() }
        _ = cache.value(forKey: "k")
        let changes = try #require(cache.statistics.disk?.externalChanges)
        #expect(changes > 0)
        #expect(emptied.load(ordering: .relaxed) <= Int(changes))
        try cache.close()
    }

    @Test("one's own writes leave memory as it is")
    func own() throws {
        let directory = try TemporaryDirectory()
        let cache = try Self.cache(directory.path("store"))
        for number in 0..<300 {
            cache.setValue("\(number)", forKey: "k \(number % 10)")
            if number % 20 == 0 { try cache.flush() }
            #expect(cache.hit(forKey: "k \(number % 10)")?.tier == .memory)
        }
        try cache.flush()
        #expect(cache.hit(forKey: "k 3")?.tier == .memory)
        #expect(cache.statistics.disk?.externalChanges == 0)
        try cache.close()
        #expect(cache.value(forKey: "k 3") == nil)
    }
}

/// Whether memory has a key after it was read.
private func isTakenUp(_ key: String, _ cache: TieredCache<String, String>) -> Bool {
    (0..<200).contains { _ in cache.value(forKey: key) != nil && cache.hit(forKey: key)?.tier == .memory }
}

/// Tells the other process to go on.
private func makeFile(_ path: String) {
    close(unsafe creat(path, 0o600))
}

/// Waits for the other process, and takes its sign away.
private func awaitFile(_ path: String) {
    while unsafe unlink(path) != 0 { usleep(500) }
}
