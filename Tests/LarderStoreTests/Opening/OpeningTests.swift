import FoundationEssentials
import Glibc
import LarderStore
import TestSupport
import Testing

struct OpeningTests {
    private func refusal(at path: String, _ configuration: StoreConfiguration = .init()) -> StoreError? {
        #expect(throws: StoreError.self) { try Store.open(at: path, configuration: configuration) }
    }

    @Test("A73 L10 L12 B73 V79 a second opening in the process is the same store, by whatever path")
    func sameStore() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        #expect(try fixture.open() === store)
        let others = [fixture.path + "/", fixture.path + "/.", fixture.directory.path + "/./store//"]
        for path in others {
            #expect(try Store.open(at: path, configuration: StoreFixture.configuration()) === store)
        }
        var different = StoreFixture.configuration()
        different.queue.maxBatchOperations = 3
        let error = #expect(throws: StoreError.self) { try fixture.open(different) }
        #expect(error?.code == .configurationMismatch)
        #expect(error?.message.contains("queue.maxBatchOperations") == true)
        try store.close()
        let reopened = try fixture.open(different)
        #expect(reopened !== store)
        try reopened.close()
    }

    @Test("L23 a symbolic link in place of the directory or a file is refused and its target untouched")
    func links() throws {
        let fixture = try StoreFixture()
        let (target, link) = (fixture.directory.path("target"), fixture.directory.path("link"))
        #expect(Files.makeDirectory(target))
        #expect(Files.link(target, from: link))
        for path in [link, link + "/"] {
            let error = refusal(at: path)
            #expect(error?.code == .unusableDirectory)
            #expect(error?.message.contains("symbolic link") == true)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: target).isEmpty)

        let victim = fixture.directory.path("victim")
        #expect(FileManager.default.createFile(atPath: victim, contents: Data()))
        for file in ["data.mdb", "lock.mdb", "STATE", "ACCESS", "LOCK"] {
            #expect(Files.link(victim, from: target + "/" + file))
            #expect(refusal(at: target)?.code == .unusableDirectory, "\(file)")
            #expect(Files.remove(target + "/" + file))
            for leftover in ["LOCK", "STATE", "STATE.new"] { Files.remove(target + "/" + leftover) }
        }
        #expect(try Data(contentsOf: URL(filePath: victim)).isEmpty)
    }

    @Test("L20 a file, an unsafe mode, a foreign owner or a missing right is refused by name, with nothing left behind")
    func unusable() throws {
        let fixture = try StoreFixture()
        let file = fixture.directory.path("file")
        #expect(FileManager.default.createFile(atPath: file, contents: Data([1])))
        for path in [file, file + "/below"] {
            let error = refusal(at: path)
            #expect(error?.code == .unusableDirectory)
            #expect(error?.message.contains("file") == true)
        }
        let shared = fixture.directory.path("shared")
        #expect(Files.makeDirectory(shared) && Files.setMode(shared, 0o777))
        #expect(refusal(at: shared)?.message.contains("chmod go-w") == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: shared).isEmpty)
        #expect(refusal(at: "")?.code == .unusableDirectory)
        // Read-only for everyone, root included; and nobody may write there otherwise.
        #expect(refusal(at: "/proc/larder")?.code == .unusableDirectory)
        if geteuid() == 0 {
            let foreign = fixture.directory.path("foreign")
            #expect(Files.makeDirectory(foreign) && Files.setOwner(foreign, 12_345))
            #expect(refusal(at: foreign)?.message.contains("12345") == true)
        }
    }

    @Test("files are private, and closed on exec, so that no child keeps them alive")
    func descriptorsAndModes() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let table = try fixture.numbers(store)
        try table.setValue(1, forKey: 1)
        try store.flush()
        #expect(Files.mode(fixture.path) == 0o700)
        for name in try FileManager.default.contentsOfDirectory(atPath: fixture.path) {
            #expect(Files.mode(fixture.path + "/" + name) == 0o600, "\(name)")
        }
        var inspected = 0
        for number in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
            guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)"),
                target.hasPrefix(fixture.path), let descriptor = Int32(number)
            else { continue }
            #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0, "\(target)")
            inspected += 1
        }
        #expect(inspected >= 4)
        try store.close()
    }

    @Test("V80 A73 another process is told who has the store, and gets it afterwards")
    func otherProcess() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let path = fixture.path
        await #expect(processExitsWith: .exitCode(7)) { [path = path as String] in
            do throws(StoreError) {
                _ = try Store.open(at: path)
            } catch {
                let isRight = error.code == .inUse && error.message.contains(path) && error.message.contains("process ")
                exit(isRight ? 7 : 1)
            }
            exit(2)
        }
        try store.close()
        await #expect(processExitsWith: .exitCode(7)) { [path = path as String] in
            let store = try Store.open(at: path)
            try store.close()
            exit(7)
        }
    }

    @Test("a store let go of without closing commits what is queued and can be opened again")
    func dropped() throws {
        let fixture = try StoreFixture()
        do {
            let store = try fixture.open()
            let table = try fixture.numbers(store)
            for key in 0..<500 { try table.setValue(key, forKey: key) }
        }
        let store = try fixture.open()
        #expect(store.recovery == nil)
        #expect(try fixture.numbers(store).count == 500)
        try store.close()
    }

    @Test("B24 B40 destroy removes everything, refuses an open store, and accepts what is not there")
    func destroy() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        #expect(throws: StoreError.self) { try Store.destroy(at: fixture.path) }
        try store.close()
        try Store.destroy(at: fixture.path)
        #expect(!FileManager.default.fileExists(atPath: fixture.path))
        try Store.destroy(at: fixture.path)
        let fresh = try fixture.open()
        #expect(fresh.recovery == nil)
        #expect(fresh.statistics.entries == 0)
        try fresh.close()
    }

    @Test("A31 A75 the count is exact at once after reopening, and opening does not scan")
    func countAfterReopening() throws {
        let fixture = try StoreFixture()
        var store = try fixture.open()
        var table = try fixture.numbers(store)
        for key in 0..<100_000 { try table.setValue(key, forKey: key) }
        try store.close()
        // As a file is opened whose trees are too large to be looked at first.
        let start = threadSeconds()
        store = try fixture.open(faults: StoreFaults(alwaysCheckedPages: 0))
        table = try fixture.numbers(store)
        #expect(table.count == 100_000)
        #expect(table.value(forKey: 99_999) == 99_999)
        let opened = threadSeconds()
        #expect(table.keys().count == 100_000)
        #expect(opened - start < (threadSeconds() - opened) / 4)
        try store.close()
    }
}
