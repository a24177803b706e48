import Glibc
import Synchronization
import TestSupport
import Testing

@testable import LarderStore

/// Removals that cannot be committed: what they were to remove is never read again, whatever becomes of the process.
struct HiddenTests {
    private static func configuration(_ durability: Durability = .commit) -> StoreConfiguration {
        StoreConfiguration(budget: .mebibytes(64), durability: durability, expiryInterval: .zero)
    }

    /// Opens a store whose commits fail for as long as `isFailing`.
    private static func open(_ path: String, _ durability: Durability, _ isFailing: Failing) throws -> Store {
        try Store.open(
            at: path,
            configuration: configuration(durability),
            clock: .system,
            events: StoreEvents(),
            faults: StoreFaults(beforeCommit: { _ in isFailing.now ? LMDBFault(result: ENOSPC) : nil })
        )
    }

    private final class Failing: Sendable {
        private let flag = Atomic(false)

        var now: Bool {
            get { flag.load(ordering: .sequentiallyConsistent) }
            set { flag.store(newValue, ordering: .sequentiallyConsistent) }
        }
    }

    private static func numbers(_ store: Store) throws -> StoreTable<Int, Int> {
        try store.table("numbers", keyedBy: Int.self, codec: ValueCodec<Int>.integer)
    }

    private static func fill(_ path: String, _ durability: Durability, count: Int = 20) throws {
        let store = try Store.open(at: path, configuration: configuration(durability))
        let table = try numbers(store)
        for key in 0..<count { try table.setValue(key, forKey: key) }
        try store.close()
    }

    @Test(
        "A19 A82 what a failed removal or write was to replace is not read after a kill either",
        arguments: Durability.allCases
    )
    func killed(_ durability: Durability) async throws {
        let fixture = try StoreFixture()
        let path = fixture.path
        try Self.fill(path, durability)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, name = durability.rawValue as String] in
            let failing = Failing()
            let store = try Self.open(path, try #require(Durability(rawValue: name)), failing)
            let table = try Self.numbers(store)
            failing.now = true
            table.removeValue(forKey: 3)
            try table.setValue(-4, forKey: 4)
            #expect(throws: StoreError.self) { try store.flush() }
            #expect(table.value(forKey: 3) == nil && table.value(forKey: 4) == nil)
            #expect(store.statistics.hidden == 2)
            kill(getpid(), SIGKILL)
        }
        // The removal still cannot be committed at the next opening, which is killed as well.
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, name = durability.rawValue as String] in
            let failing = Failing()
            failing.now = true
            let store = try Self.open(path, try #require(Durability(rawValue: name)), failing)
            let table = try Self.numbers(store)
            #expect(table.value(forKey: 3) == nil && table.value(forKey: 4) == nil)
            table.removeValue(forKey: 5)
            #expect(throws: StoreError.self) { try store.flush() }
            #expect(store.statistics.hidden == 3)
            kill(getpid(), SIGKILL)
        }
        let store = try Store.open(at: path, configuration: Self.configuration(durability))
        let table = try Self.numbers(store)
        for key in 0..<20 { #expect(table.value(forKey: key) == ((3...5).contains(key) ? nil : key)) }
        // By itself, without a write.
        #expect(await eventually { store.statistics.hidden == 0 })
        #expect(table.count == 17)
        try store.close()
        #expect(try Store.verify(at: path).isSound)
    }

    @Test(
        "what is written again after it was hidden, and flushed, is there after a kill",
        arguments: Durability.allCases
    )
    func writtenAgain(_ durability: Durability) async throws {
        let fixture = try StoreFixture()
        let path = fixture.path
        try Self.fill(path, durability)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, name = durability.rawValue as String] in
            let failing = Failing()
            let store = try Self.open(path, try #require(Durability(rawValue: name)), failing)
            let table = try Self.numbers(store)
            failing.now = true
            for key in 0..<5 { table.removeValue(forKey: key) }
            #expect(throws: StoreError.self) { try store.flush() }
            failing.now = false
            try table.setValue(100, forKey: 0)
            try store.flush()
            #expect(table.value(forKey: 0) == 100)
            kill(getpid(), SIGKILL)
        }
        let store = try Store.open(at: path, configuration: Self.configuration(durability))
        let table = try Self.numbers(store)
        #expect(table.value(forKey: 0) == 100)
        for key in 1..<5 { #expect(table.value(forKey: key) == nil) }
        for key in 5..<20 { #expect(table.value(forKey: key) == key) }
        try store.close()
    }

    @Test("more hidden records than STATE has room for: after a kill the store starts empty and says so")
    func tooMany() async throws {
        let fixture = try StoreFixture()
        let path = fixture.path
        try Self.fill(path, .commit, count: 500)
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let failing = Failing()
            let store = try Self.open(path, .commit, failing)
            let table = try Self.numbers(store)
            failing.now = true
            for key in 0..<(HiddenRecords.limit + 1) { table.removeValue(forKey: key) }
            #expect(throws: StoreError.self) { try store.flush() }
            #expect(store.statistics.hidden == HiddenRecords.limit + 1)
            for key in 0..<500 { #expect((table.value(forKey: key) == nil) == (key <= HiddenRecords.limit)) }
            kill(getpid(), SIGKILL)
        }
        #expect(try !Store.verify(at: path).isSound)
        let store = try Store.open(at: path, configuration: Self.configuration())
        #expect(store.recovery?.reason == .damaged)
        #expect(store.recovery?.detail == HiddenRecords.tooMany)
        #expect(store.statistics.entries == 0)
        try store.close()
    }

    @Test("a store closed while removals still fail hides their records from the next opening")
    func closed() throws {
        let fixture = try StoreFixture()
        try Self.fill(fixture.path, .commit)
        let failing = Failing()
        var store = try Self.open(fixture.path, .commit, failing)
        var table = try Self.numbers(store)
        try table.setValue(30, forKey: 30)
        try store.flush()
        failing.now = true
        table.removeValue(forKey: 1)
        #expect(throws: StoreError.self) { try store.flush() }
        // What is not there is not hidden, or a full disk would fill the memory as well.
        for key in 1_000..<1_500 { try table.setValue(key, forKey: key) }
        #expect(throws: StoreError.self) { try store.flush() }
        #expect(store.statistics.hidden == 1)
        try store.close()
        // Whoever looks into the closed store does not find it either.
        do {
            let content = try StoreFile(path: fixture.path).content()
            let stored = try #require(content.tables.first)
            #expect(try content.record(forKey: 1.storeKeyBytes, in: stored) == nil)
            #expect(try content.record(forKey: 2.storeKeyBytes, in: stored) != nil)
            var keys: Set<[UInt8]> = []
            #expect(try content.forEachRecord(in: stored) { keys.insert($0.key) } == 0)
            #expect(keys.count == 20 && !keys.contains(1.storeKeyBytes))
        }
        store = try Store.open(at: fixture.path, configuration: Self.configuration())
        table = try Self.numbers(store)
        #expect(table.value(forKey: 1) == nil)
        try table.setValue(-1, forKey: 1)
        try store.flush()
        #expect(table.value(forKey: 1) == -1)
        #expect(table.value(forKey: 30) == 30)
        try store.close()
        store = try Store.open(at: fixture.path, configuration: Self.configuration())
        #expect(try Self.numbers(store).value(forKey: 1) == -1)
        try store.close()
    }

    @Test("the list of hidden records reads back, and one that was cut short hides everything")
    func list() {
        let hashes = (0..<HiddenRecords.limit).map { RecordHash(low: UInt64($0), high: .max - UInt64($0)) }
        let list = HiddenRecords(hashes)
        #expect(HiddenRecords(Substring(list.text)) == list)
        #expect(HiddenRecords(Substring(list.text)).hashes == Set(hashes))
        #expect(HiddenRecords("0").hashes == [])
        var state = StateFile(isClean: true, durability: .commit)
        state.hidden = list
        #expect(state.encoded.count == StateFile.byteCount)
        guard case .state(let read) = StateFile.read(state.encoded) else { return #expect(Bool(false)) }
        #expect(read == state)
        for text in ["", "all", "1", "x", String(list.text.dropLast()), list.text + " 1"] {
            #expect(HiddenRecords(Substring(text)).hashes == nil, "\(text)")
        }
        #expect(HiddenRecords(hashes + [.zero]).hashes == nil)
    }
}
