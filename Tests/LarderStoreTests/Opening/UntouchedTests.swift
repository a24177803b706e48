import FoundationEssentials
import Glibc
import LarderStore
import TestSupport
import Testing

/// Opening and closing again what was closed in order: nothing is written without need.
struct UntouchedTests {
    /// What the system says of a file: any write changes it.
    private struct Trace: Equatable {
        let bytes: [UInt8]?
        let inode: UInt64
        let modified: [Int]

        init(_ path: String) {
            var status = stat()
            _ = unsafe stat(path, &status)
            bytes = Files.read(path)
            inode = UInt64(status.st_ino)
            modified = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec]
        }
    }

    private static let names = ["data.mdb", "STATE", "CHECKPOINT"]

    private func traces(_ fixture: StoreFixture) -> [Trace] { Self.names.map { Trace(fixture.path + "/" + $0) } }

    private func configuration(_ durability: Durability) -> StoreConfiguration {
        StoreConfiguration(budget: .mebibytes(64), durability: durability, expiryInterval: .milliseconds(1))
    }

    private func fill(_ fixture: StoreFixture, _ durability: Durability) throws {
        let store = try fixture.open(configuration(durability))
        let table = try fixture.numbers(store)
        for key in 0..<100 { try table.setValue(key, forKey: key, expiration: .seconds(3600)) }
        try store.close()
    }

    @Test(
        "A74 A75 a store that is only read, swept and closed leaves its files as they were",
        arguments: Durability.allCases
    )
    func untouched(_ durability: Durability) throws {
        let fixture = try StoreFixture()
        try fill(fixture, durability)
        let before = traces(fixture)
        for _ in 0..<3 {
            let store = try fixture.open(configuration(durability))
            let table = try fixture.numbers(store)
            #expect(table.count == 100)
            for key in 0..<100 { #expect(table.value(forKey: key) == key) }
            // Of nothing that has expired.
            try store.removeExpired()
            try store.flush()
            #expect(store.statistics.commits == 0)
            try store.close()
            #expect(traces(fixture) == before)
        }
        #expect(try Store.verify(at: fixture.path).isSound)
    }

    @Test(
        "A75 V71 a process killed before its first commit leaves a store that was closed in order, one killed later does not",
        arguments: Durability.allCases
    )
    func killed(_ durability: Durability) async throws {
        let fixture = try StoreFixture()
        try fill(fixture, durability)
        let path = fixture.path
        let before = traces(fixture)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, durability = durability.rawValue as String] in
            let durability = try #require(Durability(rawValue: durability))
            let configuration = StoreConfiguration(budget: .mebibytes(64), durability: durability)
            let store = try Store.open(at: path, configuration: configuration)
            _ = try store.table("numbers", keyedBy: Int.self, codec: ValueCodec<Int>.integer).value(forKey: 1)
            kill(getpid(), SIGKILL)
        }
        #expect(traces(fixture) == before)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, durability = durability.rawValue as String] in
            let durability = try #require(Durability(rawValue: durability))
            let configuration = StoreConfiguration(budget: .mebibytes(64), durability: durability)
            let store = try Store.open(at: path, configuration: configuration)
            let table = try store.table("numbers", keyedBy: Int.self, codec: ValueCodec<Int>.integer)
            try table.setValue(-1, forKey: 1)
            try await store.flush()
            kill(getpid(), SIGKILL)
        }
        let state = String(decoding: try #require(Files.read(path + "/STATE")), as: UTF8.self)
        #expect(state.contains("clean 0"))
        let store = try fixture.open(configuration(durability))
        let table = try fixture.numbers(store)
        #expect(store.recovery == nil)
        #expect(table.count == 100)
        #expect(table.value(forKey: 1) == -1)
        try store.close()
    }

    @Test(
        "a store closed in order is opened with other durability without a write, and keeps that one's promise from then on"
    )
    func otherDurability() throws {
        let fixture = try StoreFixture()
        try fill(fixture, .fast)
        let before = traces(fixture)
        let store = try fixture.open(configuration(.checkpointed))
        #expect(traces(fixture) == before)
        try fixture.numbers(store).setValue(7, forKey: 7)
        try store.flush()
        let state = String(decoding: try #require(Files.read(fixture.path + "/STATE")), as: UTF8.self)
        #expect(state.contains("clean 0") && state.contains("durability checkpointed"))
        #expect(Files.size(fixture.path + "/CHECKPOINT") ?? 0 > 0)
        try store.close()
    }
}
