import FoundationEssentials
import Glibc
import LarderStore
import TestSupport
import Testing

/// Room that really runs out, in processes of their own.
struct FullDiskTests {
    private static func configuration(_ durability: Durability = .commit) -> StoreConfiguration {
        StoreConfiguration(budget: .mebibytes(64), durability: durability, expiryInterval: .zero)
    }

    private static func value(_ key: Int, round: Int = 0) -> [UInt8] {
        [UInt8(round)] + pattern(key * 1_000 + round, count: 10_000)
    }

    /// Writes into a store whose disk is full until it fails, checks what must hold, and what must once `makeRoom` was called.
    private static func exercise(_ store: Store, in path: String, makeRoom: () -> Bool) throws {
        let table = try store.table("t", keyedBy: Int.self, codec: .bytes)
        for key in 0..<100 { #expect(table.value(forKey: key) == value(key)) }
        // More than may lie in free pages of the file.
        for key in 100..<600 { try table.setValue(value(key), forKey: key) }
        for key in 0..<10 { try table.setValue(value(key, round: 1), forKey: key) }
        for key in 10..<20 { table.removeValue(forKey: key) }
        let error = #expect(throws: StoreError.self) { try store.flush() }
        #expect([.noSpace, .storageFailed].contains(error?.code), "\(String(describing: error))")
        #expect(error?.message.contains(path) == true && error?.message.contains("disk") == true)
        #expect(error?.cause != nil)
        #expect(store.statistics.writeFailures > 0)
        // Alone in its batch, and far larger than what may be free in the file.
        try table.setValue(pattern(0, count: 2 << 20), forKey: 2_000)
        #expect(throws: StoreError.self) { try store.flush() }
        #expect(store.statistics.isFailing)
        #expect(table.value(forKey: 2_000) == nil)

        // Reads go on, and find nothing that a later write or removal has replaced.
        for key in 0..<10 { #expect([nil, value(key, round: 1)].contains(table.value(forKey: key))) }
        for key in 10..<20 { #expect(table.value(forKey: key) == nil) }
        for key in 20..<100 { #expect(table.value(forKey: key) == value(key)) }
        for key in 100..<600 { #expect([nil, value(key)].contains(table.value(forKey: key))) }
        try (0..<10).forEach { round in
            try table.setValue(value(1_000 + round, round: 3), forKey: 1_000 + round)
            try? store.flush()
        }

        #expect(makeRoom())
        for key in 600..<700 { try table.setValue(value(key), forKey: key) }
        try store.flush()
        for key in 600..<700 { #expect(table.value(forKey: key) == value(key)) }
        #expect(!store.statistics.isFailing)
        #expect(store.statistics.hidden == 0)
        try store.close()
    }

    private static func check(_ path: String, _ durability: Durability) throws {
        #expect(try Store.verify(at: path).isSound)
        let store = try Store.open(at: path, configuration: configuration(durability))
        let table = try store.table("t", keyedBy: Int.self, codec: .bytes)
        #expect(store.recovery == nil)
        for key in 0..<10 { #expect([nil, value(key, round: 1)].contains(table.value(forKey: key))) }
        for key in 10..<20 { #expect(table.value(forKey: key) == nil) }
        for key in 20..<100 { #expect(table.value(forKey: key) == value(key)) }
        for key in 600..<700 { #expect(table.value(forKey: key) == value(key)) }
        #expect(store.statistics.damaged == 0)
        try store.close()
    }

    private static func fill(_ store: Store) throws {
        let table = try store.table("t", keyedBy: Int.self, codec: .bytes)
        for key in 0..<100 { try table.setValue(value(key), forKey: key) }
        try store.flush()
    }

    @Test(
        "A77 L9 L35 L36 on a full file system writes fail and say so, reads go on, and writes resume once there is space",
        arguments: Durability.allCases,
        [false, true]
    )
    func fullFileSystem(_ durability: Durability, isReopened: Bool) async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path
        await #expect(processExitsWith: .success) {
            [path = path as String, name = durability.rawValue as String, isReopened = isReopened as Bool] in
            guard Limits.mountMemory(at: path, mebibytes: 16) else { return }
            let durability = try #require(Durability(rawValue: name))
            let place = path + "/store"
            var store = try Store.open(at: place, configuration: Self.configuration(durability))
            try Self.fill(store)
            if isReopened {
                // Then there is no room even for the note that the store is open.
                try store.close()
                store = try Store.open(at: place, configuration: Self.configuration(durability))
            }
            #expect(Limits.fill(path + "/ballast"))
            try Self.exercise(store, in: place) { Files.remove(path + "/ballast") }
            try Self.check(place, durability)
        }
    }

    @Test("A77 V75 a store at the limit of file sizes goes on the same way", arguments: Durability.allCases)
    func limitedFileSize(_ durability: Durability) async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("store")
        await #expect(processExitsWith: .success) {
            [path = path as String, name = durability.rawValue as String] in
            let durability = try #require(Durability(rawValue: name))
            // Otherwise the system ends a process that writes beyond its limit.
            signal(SIGXFSZ, SIG_IGN)
            let store = try Store.open(at: path, configuration: Self.configuration(durability))
            try Self.fill(store)
            #expect(Limits.set(RLIMIT_FSIZE, to: 2 << 20))
            try Self.exercise(store, in: path) { Limits.set(RLIMIT_FSIZE, to: 1 << 40) }
            try Self.check(path, durability)
        }
    }

    @Test("L30 L31 L32 a full map fails writes only for as long as a read keeps pages from being used again")
    func fullMap() throws {
        let fixture = try StoreFixture()
        var configuration = StoreFixture.configuration(budget: .mebibytes(2))
        configuration.queue.maxBatchBytes = .kibibytes(256)
        let store = try fixture.open(configuration, faults: StoreFaults(mapBytes: 8 << 20))
        #expect(store.statistics.mapBytes == 8 << 20)
        let table = try fixture.numbersToBytes(store)
        // Far more than the budget, which leaves the map some room: the oldest leave.
        for key in 0..<2_000 { try table.setValue(Self.value(key), forKey: key) }
        try store.flush()
        #expect(table.value(forKey: 1_999) == Self.value(1_999))
        #expect(store.statistics.evicted > 1_000)
        let reader = try #require(ParkedReader(store))
        var errors: [StoreError] = []
        for key in 2_000..<4_000 {
            try table.setValue(Self.value(key), forKey: key)
            if key % 50 == 0 { do throws(StoreError) { try store.flush() } catch { errors.append(error) } }
        }
        #expect(!errors.isEmpty)
        #expect(errors.allSatisfy { $0.code == .noSpace && $0.message.contains(fixture.path) })
        reader.leave()
        // Tells of what failed since the last flush.
        try? store.flush()
        // The pages it kept are free two commits later.
        for _ in 0..<10 where store.statistics.hidden > 0 || store.statistics.isFailing {
            try table.setValue([], forKey: -1)
            try? store.flush()
        }
        for key in 4_000..<5_000 { try table.setValue(Self.value(key), forKey: key) }
        try store.flush()
        #expect(table.value(forKey: 4_999) == Self.value(4_999))
        for key in 0..<5_000 { #expect([nil, Self.value(key)].contains(table.value(forKey: key))) }
        try store.close()
        #expect(try Store.verify(at: fixture.path).isSound)
    }

    @Test(
        "a store whose directory is removed while it is open reads on and tells every flush",
        arguments: [false, true]
    )
    func deletedDirectory(isReopened: Bool) throws {
        let fixture = try StoreFixture()
        var store = try fixture.open()
        var table = try fixture.numbers(store)
        for key in 0..<100 { try table.setValue(key, forKey: key) }
        try store.flush()
        if isReopened {
            try store.close()
            store = try fixture.open()
            table = try fixture.numbers(store)
        }
        try FileManager.default.removeItem(atPath: fixture.path)
        for round in 0..<3 {
            try table.setValue(-round, forKey: 1_000)
            let error = #expect(throws: StoreError.self) { try store.flush() }
            #expect(error?.code == .unusableDirectory)
            #expect(error?.message.contains(fixture.path) == true)
            for key in 0..<100 { #expect(table.value(forKey: key) == key) }
        }
        #expect(throws: StoreError.self) { try store.compact() }
        for key in 0..<100 { #expect(table.value(forKey: key) == key) }
        if isReopened { try? store.close() } else { #expect(throws: StoreError.self) { try store.close() } }
        let fresh = try fixture.open()
        #expect(fresh.statistics.entries == 0)
        try fixture.numbers(fresh).setValue(1, forKey: 1)
        try fresh.close()
    }
}
