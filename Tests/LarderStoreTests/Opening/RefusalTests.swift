import FoundationEssentials
import Glibc
import LarderStore
import TestSupport
import Testing

/// Openings that the system refuses, in processes of their own: each says where, why and what to do, and leaves nothing.
struct RefusalTests {
    private static let configuration = StoreConfiguration(budget: .mebibytes(64), expiryInterval: .zero)

    private static func fill(_ path: String) throws {
        let store = try Store.open(at: path, configuration: configuration)
        let table = try store.table("numbers", keyedBy: Int.self, codec: ValueCodec<Int>.integer)
        for key in 0..<100 { try table.setValue(key, forKey: key) }
        try store.close()
    }

    private static func check(_ store: Store) throws {
        let table = try store.table("numbers", keyedBy: Int.self, codec: ValueCodec<Int>.integer)
        #expect(store.recovery == nil)
        for key in 0..<100 { #expect(table.value(forKey: key) == key) }
    }

    /// What an opening is refused with.
    private static func refusal(_ path: String, _ configuration: StoreConfiguration = configuration) -> StoreError? {
        do throws(StoreError) {
            try Store.open(at: path, configuration: configuration).close()
            return nil
        } catch {
            return error
        }
    }

    @Test("L20 a read-only file system is refused by name, and what is there stays as it is")
    func readOnlyFileSystem() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            guard Limits.mountMemory(at: path, mebibytes: 16) else { return }
            try Self.fill(path + "/store")
            #expect(Limits.makeReadOnly(path))
            for place in [path + "/store", path + "/new"] {
                let error = Self.refusal(place)
                #expect(error?.code == .unusableDirectory)
                #expect(error?.message.contains(place) == true)
                #expect(error?.message.contains("read-only") == true)
            }
            #expect(throws: StoreError.self) { try Store.destroy(at: path + "/store") }
        }
    }

    @Test(
        "L20 a directory or file without the right to write or read it is refused by name, and then opened whole",
        arguments: ["", "/data.mdb", "/lock.mdb", "/LOCK", "/STATE"],
        [0, 0o400, 0o500] as [mode_t]
    )
    func missingRight(_ file: String, mode: mode_t) async throws {
        // A file that may be read is enough for STATE, which is replaced, never written to; so that is no refusal.
        guard file != "/STATE" || mode == 0 else { return }
        let directory = try TemporaryDirectory()
        let path = directory.path("store")
        try Self.fill(path)
        let user: uid_t = 65_534
        if geteuid() == 0 {
            let names = try FileManager.default.contentsOfDirectory(atPath: path)
            #expect(Files.setOwner(path, user))
            for name in names { #expect(Files.setOwner(path + "/" + name, user)) }
        }
        await #expect(processExitsWith: .success) {
            [path = path as String, file = file as String, mode = Int(mode) as Int] in
            // To root everything is allowed.
            if geteuid() == 0 { #expect(setgid(65_534) == 0 && setuid(65_534) == 0) }
            #expect(Files.setMode(path + file, mode_t(mode)))
            let error = Self.refusal(path)
            #expect(error?.code == .unusableDirectory, "\(String(describing: error))")
            #expect(error?.message.contains(path) == true)
            #expect(
                error?.message.contains("Permission denied") == true || error?.message.contains("permission") == true
            )
            #expect(Files.setMode(path + file, 0o700))
            let store = try Store.open(at: path, configuration: Self.configuration)
            try Self.check(store)
            try store.close()
        }
    }

    @Test(
        "V79 an opening that gets no file descriptor fails, leaves none behind, and gives nothing up",
        arguments: [true, false]
    )
    func noDescriptors(isClean: Bool) async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("store")
        await #expect(processExitsWith: .success) { [path = path as String, isClean = isClean as Bool] in
            try Self.fill(path)
            if !isClean { #expect(Files.replace("clean 1", with: "clean 0", in: path + "/STATE")) }
            // Once, so that nothing is opened for the first time below.
            try Store.open(at: path, configuration: Self.configuration).close()
            #expect(Limits.set(RLIMIT_NOFILE, to: 128))
            var refusals = 0
            for count in 0..<20 {
                // A refused opening of it may have left the note that it is open.
                if !isClean { _ = Files.replace("clean 1", with: "clean 0", in: path + "/STATE") }
                let (free, taken) = Limits.freeDescriptors(leaving: count)
                let error = Self.refusal(path)
                let left = Limits.freeDescriptors()
                #expect(left.free == count, "leaving \(count)")
                for file in taken { close(file) }
                #expect(Limits.freeDescriptors().free == free)
                guard let error else { continue }
                refusals += 1
                #expect(error.code == .storageFailed, "\(error)")
                #expect(error.message.contains(path) && error.message.contains("open files"), "\(error)")
            }
            #expect((4..<16).contains(refusals), "\(refusals)")
            let store = try Store.open(at: path, configuration: Self.configuration)
            try Self.check(store)
            try store.close()
        }
    }

    @Test("V79 a store that is open needs no further descriptor to read and write, and to note that it is open but one")
    func noDescriptorsWhileOpen() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("store")
        await #expect(processExitsWith: .success) { [path = path as String] in
            try Self.fill(path)
            let store = try Store.open(at: path, configuration: Self.configuration)
            let table = try store.table("numbers", keyedBy: Int.self, codec: ValueCodec<Int>.integer)
            // The writer looks for what the last session left when it starts, with a descriptor that it gives back.
            try store.removeExpired()
            #expect(Limits.set(RLIMIT_NOFILE, to: 128))
            let taken = Limits.freeDescriptors(leaving: 0).taken
            try Self.check(store)
            try table.setValue(-1, forKey: 1)
            let error = #expect(throws: StoreError.self) { try store.flush() }
            #expect(error?.code == .storageFailed)
            #expect(error?.message.contains(path) == true && error?.message.contains("open files") == true)
            #expect(table.value(forKey: 1) == nil)
            for file in taken { close(file) }
            try table.setValue(1, forKey: 1)
            try store.flush()
            #expect(!store.statistics.isFailing)
            let again = Limits.freeDescriptors(leaving: 0).taken
            for key in 0..<1_000 { try table.setValue(key, forKey: key) }
            try store.flush()
            for key in 0..<1_000 { #expect(table.value(forKey: key) == key) }
            let refusal = #expect(throws: StoreError.self) { try store.compact() }
            #expect(refusal?.message.contains(path) == true)
            try store.flush()
            #expect(table.value(forKey: 999) == 999)
            for file in again { close(file) }
            try store.compact()
            try store.close()
            let reopened = try Store.open(at: path, configuration: Self.configuration)
            try Self.check(reopened)
            try reopened.close()
        }
    }

    @Test(
        "L25 without the address space for four times the budget the map is smaller; without that for the budget it is refused"
    )
    func addressSpace() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("store")
        await #expect(processExitsWith: .success) { [path = path as String] in
            try Self.fill(path)
            // Once, so that threads and the like have what they need.
            try Store.open(at: path, configuration: Self.configuration).close()
            #expect(Limits.set(RLIMIT_AS, to: Limits.addressSpace + 512 << 20))
            let store = try Store.open(at: path, configuration: Self.configuration)
            #expect(store.statistics.mapBytes < 1 << 30)
            #expect(store.statistics.mapBytes >= 80 << 20)
            try Self.check(store)
            let table = try store.table("numbers", keyedBy: Int.self, codec: ValueCodec<Int>.integer)
            for key in 0..<1_000 { try table.setValue(key, forKey: key) }
            try store.flush()
            #expect(table.count == 1_000)
            try store.close()
            let error = Self.refusal(path, StoreConfiguration(budget: .gibibytes(8)))
            #expect(error?.code == .noSpace)
            #expect(error?.message.contains(path) == true && error?.message.contains("address space") == true)
            let again = try Store.open(at: path, configuration: Self.configuration)
            try Self.check(again)
            try again.close()
        }
    }

    @Test("V68 V79 many openings and closings leave no descriptor, no thread and no memory behind")
    func cycles() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("store")
        await #expect(processExitsWith: .success) { [path = path as String] in
            func threads() throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
            }
            func descriptors() throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
            }
            func cycle(_ number: Int) throws {
                var configuration = Self.configuration
                configuration.durability = number % 4 == 0 ? .checkpointed : .fast
                let store = try Store.open(at: path, configuration: configuration)
                let table = try store.table("numbers", keyedBy: Int.self, codec: ValueCodec<Int>.integer)
                // Every other one only reads.
                if number % 2 == 0 { try table.setValue(number, forKey: number % 100) }
                #expect(table.value(forKey: 1_000) == nil)
                try store.close()
            }
            for number in 0..<50 { try cycle(number) }
            let (threadsBefore, descriptorsBefore) = (try threads(), try descriptors())
            let memory = try ProcessMemory.anonymousBytes()
            for number in 0..<Torture.count(200, full: 1_000) { try cycle(number) }
            #expect(try threads() <= threadsBefore)
            #expect(try descriptors() == descriptorsBefore)
            // A sanitizer keeps freed memory.
            let left = try ProcessMemory.anonymousBytes()
            #expect(Sanitizer.isActive || left < memory + 4 << 20, "\(memory) became \(left)")
        }
    }

    @Test("L65 what a store is limited to is one line for a log")
    func description() throws {
        let fixture = try StoreFixture()
        let store = try Store.open(at: fixture.path)
        #expect("\(store)".hasPrefix("store at \(fixture.path): 0 records in "))
        #expect("\(store)".contains(" of a budget of 1GiB, none larger than 8MiB, durability commit, LMDB 0."))
        #expect(store.statistics.budgetBytes == 1 << 30)
        try store.close()
    }
}
