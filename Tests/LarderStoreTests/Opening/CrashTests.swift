import FoundationEssentials
import Glibc
import LarderStore
import TestSupport
import Testing

/// Killed writers: what a returned flush covered must be there.
struct CrashTests {
    private static let keys = 64

    /// In the child: writes rounds of values, notes each round whose flush has returned, and is killed by a thread of its
    /// own at a moment that follows from the seed.
    private static func writeUntilKilled(path: String, seed: UInt64) throws -> Never {
        let store = try Store.open(at: path + "/store", configuration: StoreFixture.configuration())
        let table = try store.table("t", keyedBy: Int.self, codec: .bytes)
        var random = SeededRandom(seed: seed)
        let microseconds = UInt32.random(in: 1_000..<40_000, using: &random)
        let killer = Task.detached(priority: .high) {
            usleep(microseconds)
            kill(getpid(), SIGKILL)
        }
        let file = unsafe open(path + "/flushed", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard file >= 0 else { exit(3) }
        var round = 0
        while !killer.isCancelled {
            round += 1
            for key in 0..<keys {
                let size = Int.random(in: 8..<3_000, using: &random)
                try table.setValue(value(round: round, key: key, size: size), forKey: key)
            }
            try store.flush()
            var noted = Int64(round)
            _ = unsafe pwrite(file, &noted, 8, 0)
        }
        exit(4)
    }

    /// The round in front, and bytes that follow from it.
    private static func value(round: Int, key: Int, size: Int) -> [UInt8] {
        round.storeKeyBytes + pattern(round * 1_000 + key, count: size)
    }

    @Test("V71 A76 L62 a writer killed at any moment loses nothing that a returned flush covered", arguments: 0..<50)
    func killed(seed: Int) async throws {
        let fixture = try StoreFixture()
        let path = fixture.directory.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, seed = seed as Int] in
            try Self.writeUntilKilled(path: path, seed: UInt64(seed))
        }
        let noted = [UInt8]((try? Data(contentsOf: URL(filePath: path + "/flushed"))) ?? Data())
        let flushed = noted.count == 8 ? noted.reversed().reduce(0) { $0 << 8 | Int($1) } : 0
        let store = try fixture.open()
        #expect(store.recovery == nil, "seed \(seed)")
        let table = try store.table("t", keyedBy: Int.self, codec: .bytes)
        for key in 0..<Self.keys {
            guard let value = table.value(forKey: key), let round = Int(storeKeyBytes: Array(value.prefix(8))) else {
                #expect(flushed == 0, "seed \(seed), key \(key) is missing after round \(flushed)")
                continue
            }
            #expect(round >= flushed, "seed \(seed), key \(key)")
            #expect(value == Self.value(round: round, key: key, size: value.count - 8), "seed \(seed), key \(key)")
        }
        #expect(store.statistics.damaged == 0)
        try table.setValue([1], forKey: -1)
        try await store.flush()
        #expect(table.value(forKey: -1) == [1])
        try store.close()
    }

    @Test("L16 a process killed while it reads does not keep space from being used again")
    func killedReader() async throws {
        let fixture = try StoreFixture()
        let path = fixture.directory.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let store = try Store.open(at: path + "/store", configuration: StoreFixture.configuration())
            let table = try store.table("numbersToBytes", keyedBy: Int.self, codec: .bytes)
            for key in 0..<100 { try table.setValue(pattern(key, count: 3_000), forKey: key) }
            try await store.flush()
            table.forEach { _, _ in kill(getpid(), SIGKILL) }
        }
        let store = try fixture.open()
        let table = try fixture.numbersToBytes(store)
        for round in 0..<300 {
            try table.setValue(pattern(round, count: 3_000), forKey: round % 100)
            try await store.flush()
        }
        #expect(store.statistics.fileBytes < 2 * store.statistics.usedBytes)
        try store.close()
    }

    @Test("V77 what one process wrote another finds by the same hashes")
    func otherProcess() async throws {
        let fixture = try StoreFixture()
        let path = fixture.directory.path
        await #expect(processExitsWith: .exitCode(0)) { [path = path as String] in
            let store = try Store.open(at: path + "/store", configuration: StoreFixture.configuration())
            try store.table("t", keyedBy: String.self, codec: .string).setValue("from a child", forKey: "k")
            try store.close()
            exit(0)
        }
        let store = try fixture.open()
        #expect(try store.table("t", keyedBy: String.self, codec: .string).value(forKey: "k") == "from a child")
        try store.close()
    }

    @Test("V79 L14 in a forked child the store misses, refuses and harms nothing")
    func fork() async throws {
        let fixture = try StoreFixture()
        let path = fixture.directory.path
        await #expect(processExitsWith: .exitCode(0)) { [path = path as String] in
            let store = try Store.open(at: path + "/store", configuration: StoreFixture.configuration())
            let table = try store.table("t", keyedBy: Int.self, codec: .string)
            try table.setValue("parent", forKey: 1)
            try await store.flush()
            let child = try #require(forkProcess())
            if child == 0 {
                var isRight = table.value(forKey: 1) == nil && !table.contains(1) && table.count == 0 && !store.isOpen
                do throws(StoreError) {
                    try table.setValue("child", forKey: 1)
                    isRight = false
                } catch {
                    isRight = isRight && error.code == .closed
                }
                table.removeValue(forKey: 1)
                table.removeAll()
                try store.close()
                _exit(isRight ? 0 : 1)
            }
            var status: Int32 = -1
            unsafe waitpid(child, &status, 0)
            try table.setValue("after", forKey: 2)
            try await store.flush()
            let isIntact = table.value(forKey: 1) == "parent" && table.value(forKey: 2) == "after"
            try store.close()
            exit(status == 0 && isIntact ? 0 : 1)
        }
        let store = try fixture.open()
        #expect(try store.table("t", keyedBy: Int.self, codec: .string).value(forKey: 1) == "parent")
        try store.close()
    }
}

/// Swift hides `fork`, because a child may do next to nothing; that is what is tested.
func forkProcess() -> pid_t? {
    typealias Fork = @convention(c) () -> pid_t
    guard let address = unsafe dlsym(nil, "fork") else { return nil }
    // Safety: this is the signature of fork in every C library.
    return unsafe unsafeBitCast(address, to: Fork.self)()
}
