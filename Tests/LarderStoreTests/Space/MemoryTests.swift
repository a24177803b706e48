import LarderStore
import TestSupport
import Testing

/// What much work leaves in memory, each in a process of its own so that only its memory is measured.
@Suite(.enabled(if: !Sanitizer.isActive, "a sanitizer keeps freed memory"))
struct MemoryTests {
    @Test("L45 a hundred thousand records expire in slices, in flat memory")
    func expiry() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            let clock = ManualClock()
            let configuration = StoreFixture.configuration()
            let store = try Store.open(at: path, configuration: configuration, clock: clock.clock)
            let table = try store.table("t", keyedBy: Int.self, codec: ValueCodec<Int>.integer)
            for key in 0..<100_000 { try table.setValue(key, forKey: key, expiration: .seconds(key % 7)) }
            try store.flush()
            let (before, commits) = (try ProcessMemory.anonymousBytes(), store.statistics.commits)
            clock.advance(by: .seconds(8))
            try store.removeExpired()
            let statistics = store.statistics
            #expect(statistics.entries == 0)
            #expect(statistics.expired == 100_000)
            #expect(statistics.commits - commits > 10)
            #expect(statistics.usedBytes < 1 << 20)
            #expect(try ProcessMemory.anonymousBytes() - before < 64 << 20)
            try store.close()
        }
    }

    @Test("L46 half a gigabyte of writes at once leaves no more than the queue and a batch in memory")
    func burst() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            let store = try Store.open(at: path, configuration: StoreFixture.configuration(budget: .mebibytes(64)))
            let table = try store.table("t", keyedBy: Int.self, codec: .bytes)
            let before = try ProcessMemory.anonymousBytes()
            let value = [UInt8](repeating: 7, count: 100_000)
            for key in 0..<5_000 {
                // Each a copy of its own, or there would be nothing to hold.
                var own = value
                own[key % 100] = UInt8(key % 256)
                try table.setValue(own, forKey: key)
            }
            try store.flush()
            #expect(try ProcessMemory.anonymousBytes() - before < 64 << 20)
            #expect(store.statistics.evicted > 4_000)
            try store.close()
        }
    }
}
