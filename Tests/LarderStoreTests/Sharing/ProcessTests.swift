import FoundationEssentials
import Glibc
import LMDB
import LarderStore
import TestSupport
import Testing
import Threading

@testable import LarderStore

/// What becomes of a shared store when the system comes between its processes.
@Suite(.timeLimit(.minutes(30)))
struct ProcessTests {
    private let fixture: StoreFixture

    init() throws {
        fixture = try StoreFixture()
    }

    private static func configuration() -> StoreConfiguration {
        var configuration = StoreFixture.configuration()
        configuration.multiProcess = true
        return configuration
    }

    private func other() throws -> ObedientProcess {
        let process = try ObedientProcess()
        #expect(process.ask("open \(fixture.path) fast shared") == "opened")
        return process
    }

    private func rewrite(_ table: StoreTable<Int, [UInt8]>, _ rounds: Int) throws {
        for round in 0..<rounds {
            try table.setValue(pattern(round, count: 3_000), forKey: round % 50)
            try table.store.flush()
        }
    }

    @Test("L16 B75 V81 a process killed in the middle of a read keeps space from being used for a minute at most")
    func killedReader() throws {
        let store = try fixture.open(Self.configuration())
        let table = try store.table("t", keyedBy: Int.self, codec: .bytes)
        try rewrite(table, 100)
        let small = store.statistics.fileBytes
        let reader = try ObedientProcess()
        #expect(reader.ask("pin \(fixture.path) 1")?.hasPrefix("pinned") == true)
        reader.kill()
        try rewrite(table, 300)
        // Until its slot is found to be nobody's, whatever is replaced may be needed.
        let pinned = store.statistics.fileBytes
        #expect(pinned > 3 * small)
        fixture.clock.advance(by: .seconds(61))
        try rewrite(table, 300)
        #expect(store.statistics.fileBytes <= pinned + (1 << 16))
        // An opening frees the slots of the dead as well.
        let second = try ObedientProcess()
        #expect(second.ask("pin \(fixture.path) 1")?.hasPrefix("pinned") == true)
        second.kill()
        let joined = try other()
        try rewrite(table, 300)
        #expect(store.statistics.fileBytes <= pinned + (1 << 16))
        #expect(joined.ask("close") == "done")
        try store.close()
    }

    @Test("L17 slots of killed readers are taken over when there are no others")
    func slots() throws {
        let path = fixture.directory.path("engine")
        #expect(Files.makeDirectory(path))
        let reader = try ObedientProcess()
        // The first to open it decides how many there are: 64.
        #expect(reader.ask("pin \(path) 60")?.hasPrefix("pinned") == true)
        let options = EnvironmentOptions(
            mapBytes: 1 << 30,
            minimumMapBytes: 1 << 30,
            maximumReaders: 64,
            maximumDatabases: 4,
            synchronization: .none
        )
        let environment = try Environment(directory: path, options: options)
        let pool = ReaderPool(environment, count: 16)
        func read(_ depth: Int) throws -> Int {
            guard depth > 0 else { return 0 }
            return try pool.read { _ in (try? read(depth - 1)).map { $0 + 1 } ?? 0 } ?? 0
        }
        #expect(try read(4) == 4)
        #expect(throws: LMDBError(call: "mdb_txn_begin", result: -30_790)) {
            let readers = try (0..<8).map { _ in try Reader(environment) }
            withExtendedLifetime(readers) {}
        }
        reader.kill()
        #expect(try read(16) == 16)
        #expect(pool.close(deadline: .after(.seconds(5))))
    }

    @Test("L27 a file that has outgrown this process's map is read and written on, while reads go on")
    func map() throws {
        // Maps of 4 MiB here and of 1 GiB there.
        let store = try fixture.open(Self.configuration(), faults: StoreFaults(mapBytes: 4 << 20))
        let table = try store.table("t", keyedBy: Int.self, codec: .string)
        try table.setValue("here", forKey: -1)
        try store.flush()
        let other = try other()
        #expect(other.ask("fill t 1000 8000") == "done")
        #expect(other.ask("flush") == "done")
        let text = String(repeating: "x", count: 8_000)
        let wrong = Lock(0)
        #expect(
            threads(4) { number in
                for turn in 0..<1_000 {
                    let key = (turn * 7 + number) % 1_000
                    // Each value begins with its key.
                    let expected = "\(key)" + text.dropFirst("\(key)".count)
                    if table.value(forKey: key) != expected { wrong.withLock { $0 += 1 } }
                }
            }
        )
        #expect(wrong.withLock { $0 } == 0)
        #expect(table.value(forKey: -1) == "here")
        #expect(other.ask("fill u 1000 8000") == "done")
        #expect(other.ask("flush") == "done")
        try table.setValue("here again", forKey: -2)
        try store.flush()
        #expect(other.ask("get t -2") == "value here again")
        #expect(other.ask("close") == "done")
        try store.close()
        #expect(try Store.verify(at: fixture.path).isSound)
    }

    @Test(
        "a map that the address space has no room for is refused, and the present one goes on being used",
        .enabled(if: !Sanitizer.isActive, "a sanitizer takes most of the address space itself")
    )
    func noAddressSpace() async throws {
        let path = fixture.path
        #expect(Files.makeDirectory(path))
        let helper = try ObedientProcess()
        await #expect(processExitsWith: .exitCode(7)) { [path = path as String] in
            let options = EnvironmentOptions(
                mapBytes: 1 << 20,
                minimumMapBytes: 1 << 20,
                maximumReaders: 8,
                maximumDatabases: 4,
                synchronization: .none
            )
            let environment = try Environment(directory: path, options: options)
            let database = try environment.write { (transaction) throws(LMDBError) in
                let database = try transaction.open("t")
                try transaction.put([1], forKey: [1], in: database)
                return database
            }
            // As if another process had a map of a terabyte.
            let file = unsafe Glibc.open(path + "/data.mdb", O_RDWR)
            var bytes = UInt64(1) << 40
            guard unsafe pwrite(file, &bytes, 8, 32) == 8, unsafe pwrite(file, &bytes, 8, 4096 + 32) == 8 else {
                exit(1)
            }
            var limit = rlimit(rlim_cur: 64 << 30, rlim_max: 64 << 30)
            guard unsafe setrlimit(__rlimit_resource_t(UInt32(RLIMIT_AS.rawValue)), &limit) == 0 else { exit(2) }
            do throws(LMDBError) {
                try environment.adoptMap()
                exit(3)
            } catch {
                guard error.code == .outOfMemory else { exit(4) }
            }
            let value = try environment.read { (snapshot) throws(LMDBError) in
                try snapshot.withValue(forKey: [1], in: database) { $0.byteCount }
            }
            exit(value == 1 ? 7 : 5)
        }
        withExtendedLifetime(helper) {}
    }

    @Test("V79 L14 a forked child is refused at once what its parent has open")
    func forked() async throws {
        let path = fixture.path
        await #expect(processExitsWith: .exitCode(0)) { [path = path as String] in
            var configuration = StoreFixture.configuration()
            configuration.multiProcess = true
            let store = try Store.open(at: path, configuration: configuration)
            // The runtime's lock for types that are used for the first time may be held by the writer's thread at the fork, and
            // stays so in the child: what that needs is used before, and the writer is past its beginning.
            #expect(try Store.open(at: path, configuration: configuration).path.contains(path))
            try store.table("t", keyedBy: Int.self, codec: .string).setValue("v", forKey: 1)
            try await store.flush()
            let child = try #require(forkProcess())
            if child == 0 {
                do throws(StoreError) {
                    _ = try Store.open(at: path, configuration: configuration)
                    _exit(1)
                } catch {
                    _exit(error.code == .closed && error.message.contains("parent") ? 0 : 2)
                }
            }
            var status: Int32 = -1
            unsafe waitpid(child, &status, 0)
            try store.close()
            exit(status == 0 ? 0 : 1)
        }
    }

    @Test(
        "L15 B75 two processes with one number, in two PID namespaces: the second is refused when it opens, and told why"
    )
    func namespaces() throws {
        // The first process of a namespace has number 1 in it.
        let launcher = ["/usr/bin/unshare", "--fork", "--pid", "--kill-child"]
        guard let first = try? ObedientProcess(launcher: launcher),
            first.ask("open \(fixture.path) fast shared") == "opened"
        else {
            print("skipped: this system does not let the test make PID namespaces")
            return
        }
        let second = try ObedientProcess(launcher: launcher)
        let answer = second.ask("open \(fixture.path) fast shared") ?? "ended"
        #expect(answer.hasPrefix("refused inUse"))
        #expect(answer.contains("PID namespace") && answer.contains(fixture.path) && answer.contains("number 1 "))
        // Those with other numbers share it.
        let other = try other()
        #expect(first.ask("put t 1 namespace") == "done")
        #expect(first.ask("flush") == "done")
        #expect(other.ask("get t 1") == "value namespace")
        // A namespace whose first process was killed leaves a slot that only others can tell is nobody's.
        first.kill()
        let third = try ObedientProcess(launcher: launcher)
        #expect(third.ask("open \(fixture.path) fast shared") == "opened")
        #expect(third.ask("get t 1") == "value namespace")
        #expect(third.ask("close") == "done")
        #expect(other.ask("close") == "done")
        #expect(try Store.verify(at: fixture.path).isSound)
    }
}
