import Glibc
import Synchronization
import TestSupport
import Testing

@testable import LarderStore

/// Removals that cannot be committed: what they were to remove is never read again, whatever becomes of the process.
struct HiddenTests {
    private let fixture: StoreFixture
    private var path: String { fixture.path }

    init() throws {
        fixture = try StoreFixture()
    }

    private static func configuration(_ durability: Durability = .commit) -> StoreConfiguration {
        StoreConfiguration(budget: .mebibytes(64), durability: durability, expiryInterval: .zero)
    }

    /// A store whose commits fail for as long as `isFailing`.
    private struct FailingStore {
        private final class Flag: Sendable {
            let isSet: Atomic<Bool>

            init(_ isSet: Bool) { self.isSet = Atomic(isSet) }
        }

        let store: Store
        let table: StoreTable<Int, Int>
        private let flag: Flag

        /// Durability by its name, because that is what a child process can be given.
        init(_ path: String, _ durability: String = Durability.commit.rawValue, isFailing: Bool = false) throws {
            flag = Flag(isFailing)
            store = try Store.open(
                at: path,
                configuration: configuration(try #require(Durability(rawValue: durability))),
                clock: .system,
                events: StoreEvents(),
                faults: StoreFaults(beforeCommit: { [flag] _ in
                    flag.isSet.load(ordering: .sequentiallyConsistent) ? LMDBFault(result: ENOSPC) : nil
                })
            )
            table = try numbers(store)
        }

        var isFailing: Bool {
            get { flag.isSet.load(ordering: .sequentiallyConsistent) }
            nonmutating set { flag.isSet.store(newValue, ordering: .sequentiallyConsistent) }
        }
    }

    private static func numbers(_ store: Store) throws -> StoreTable<Int, Int> {
        try store.table("numbers", keyedBy: Int.self, codec: ValueCodec<Int>.integer)
    }

    private func fill(_ durability: Durability = .commit, count: Int = 20) throws {
        let store = try Store.open(at: path, configuration: Self.configuration(durability))
        let table = try Self.numbers(store)
        for key in 0..<count { try table.setValue(key, forKey: key) }
        try store.close()
    }

    @Test(
        "A19 A82 what a failed removal or write was to replace is not read after a kill either",
        arguments: Durability.allCases
    )
    func killed(_ durability: Durability) async throws {
        try fill(durability)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, name = durability.rawValue as String] in
            let failing = try FailingStore(path, name)
            let (store, table) = (failing.store, failing.table)
            failing.isFailing = true
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
            let failing = try FailingStore(path, name, isFailing: true)
            let (store, table) = (failing.store, failing.table)
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
        try fill(durability)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, name = durability.rawValue as String] in
            let failing = try FailingStore(path, name)
            let (store, table) = (failing.store, failing.table)
            failing.isFailing = true
            for key in 0..<5 { table.removeValue(forKey: key) }
            #expect(throws: StoreError.self) { try store.flush() }
            failing.isFailing = false
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
        try fill(count: 500)
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let failing = try FailingStore(path)
            let (store, table) = (failing.store, failing.table)
            failing.isFailing = true
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
        try fill()
        let failing = try FailingStore(path)
        var (store, table) = (failing.store, failing.table)
        try table.setValue(30, forKey: 30)
        try store.flush()
        failing.isFailing = true
        table.removeValue(forKey: 1)
        #expect(throws: StoreError.self) { try store.flush() }
        // What is not there is not hidden, or a full disk would fill the memory as well.
        for key in 1_000..<1_500 { try table.setValue(key, forKey: key) }
        #expect(throws: StoreError.self) { try store.flush() }
        #expect(store.statistics.hidden == 1)
        try store.close()
        // Whoever looks into the closed store does not find it either.
        do {
            let content = try StoreFile(path: path).content()
            let stored = try #require(content.tables.first)
            #expect(try content.record(forKey: 1.storeKeyBytes, in: stored) == nil)
            #expect(try content.record(forKey: 2.storeKeyBytes, in: stored) != nil)
            var keys: Set<[UInt8]> = []
            #expect(try content.forEachRecord(in: stored) { keys.insert($0.key) } == 0)
            #expect(keys.count == 20 && !keys.contains(1.storeKeyBytes))
        }
        store = try Store.open(at: path, configuration: Self.configuration())
        table = try Self.numbers(store)
        #expect(table.value(forKey: 1) == nil)
        try table.setValue(-1, forKey: 1)
        try store.flush()
        #expect(table.value(forKey: 1) == -1)
        #expect(table.value(forKey: 30) == 30)
        try store.close()
        store = try Store.open(at: path, configuration: Self.configuration())
        #expect(try Self.numbers(store).value(forKey: 1) == -1)
        try store.close()
    }

    @Test("what a removal of everything that failed was to remove does not come back, after a kill or a close")
    func clearFailed() async throws {
        try fill()
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let failing = try FailingStore(path)
            failing.isFailing = true
            failing.table.removeAll()
            #expect(throws: StoreError.self) { try failing.store.flush() }
            #expect(failing.table.value(forKey: 3) == nil)
            kill(getpid(), SIGKILL)
        }
        var failing = try FailingStore(path)
        for key in 0..<20 { #expect(failing.table.value(forKey: key) == nil) }
        for key in 0..<20 { try failing.table.setValue(key, forKey: key) }
        try await failing.store.flush()
        failing.isFailing = true
        failing.table.removeAll()
        #expect(throws: StoreError.self) { try failing.store.flush() }
        try failing.store.close()
        failing = try FailingStore(path)
        for key in 0..<20 { #expect(failing.table.value(forKey: key) == nil) }
        try failing.store.close()
    }

    @Test(
        "once a removal of everything that failed is committed, by itself, what is written since is there after a kill"
    )
    func clearRetried() async throws {
        try fill()
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let failing = try FailingStore(path)
            let commits = failing.store.statistics.commits
            failing.isFailing = true
            failing.table.removeAll()
            #expect(throws: StoreError.self) { try failing.store.flush() }
            failing.isFailing = false
            #expect(await eventually { failing.store.statistics.commits > commits })
            try failing.table.setValue(100, forKey: 0)
            try await failing.store.flush()
            kill(getpid(), SIGKILL)
        }
        let store = try Store.open(at: path, configuration: Self.configuration())
        let table = try Self.numbers(store)
        #expect(store.recovery == nil)
        #expect(table.value(forKey: 0) == 100)
        for key in 1..<20 { #expect(table.value(forKey: key) == nil) }
        try store.close()
        #expect(try Store.verify(at: path).isSound)
    }

    @Test("a removal of everything and a table that could not be committed outlast the engine that is opened again")
    func clearFailedBeforePanic() throws {
        try fill()
        let gate = CommitGate()
        let isFirst = Atomic<Bool>(true)
        let hasPanicked = Atomic<Bool>(false)
        let store = try fixture.open(
            Self.configuration(),
            faults: StoreFaults(beforeCommit: { keys in
                _ = gate.hooks.beforeCommit?(keys)
                if isFirst.exchange(false, ordering: .relaxed) || hasPanicked.load(ordering: .relaxed) { return nil }
                // Of what is queued together only the write by itself gets as far as to meet an engine that gives up.
                guard keys.count == 1, keys != [[]] else { return LMDBFault(result: ENOSPC) }
                hasPanicked.store(true, ordering: .relaxed)
                return LMDBFault(result: -30795)
            })
        )
        var table = try Self.numbers(store)
        try table.setValue(1, forKey: 0)
        #expect(eventually { !store.core.queue.isAwaited })
        var other = try store.table("other", keyedBy: Int.self, codec: ValueCodec<Int>.integer)
        table.removeAll()
        try table.setValue(100, forKey: 0)
        gate.open()
        #expect(throws: StoreError.self) { try store.flush() }
        try other.setValue(200, forKey: 0)
        try store.flush()
        #expect(hasPanicked.load(ordering: .relaxed) && store.statistics.quarantined == 0)
        #expect(table.value(forKey: 0) == 100 && table.value(forKey: 1) == nil && table.count == 1)
        try store.close()
        let reopened = try fixture.open(Self.configuration())
        #expect(reopened.recovery == nil)
        table = try Self.numbers(reopened)
        other = try reopened.table("other", keyedBy: Int.self, codec: ValueCodec<Int>.integer)
        #expect(table.keys() == [0] && table.value(forKey: 0) == 100)
        #expect(other.keys() == [0] && other.value(forKey: 0) == 200)
        try reopened.close()
        #expect(try Store.verify(at: path).isSound)
    }

    @Test("a removal of everything that failed where nothing was takes nothing from other tables after a kill")
    func emptyClearFailed() async throws {
        try fill()
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let failing = try FailingStore(path)
            let other = try failing.store.table("other", keyedBy: Int.self, codec: ValueCodec<Int>.integer)
            try await failing.store.flush()
            failing.isFailing = true
            other.removeAll()
            #expect(throws: StoreError.self) { try failing.store.flush() }
            kill(getpid(), SIGKILL)
        }
        let store = try Store.open(at: path, configuration: Self.configuration())
        #expect(store.recovery == nil && store.statistics.entries == 20)
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
