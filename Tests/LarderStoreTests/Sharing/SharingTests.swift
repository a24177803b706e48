import FoundationEssentials
import Glibc
import LMDB
import LarderStore
import Synchronization
import TestSupport
import Testing
import Threading

@testable import LarderStore

/// Two processes on one store, step by step: the test is one, and tells the other what to do.
@Suite(.timeLimit(.minutes(30)))
struct SharingTests {
    private let fixture: StoreFixture

    init() throws {
        fixture = try StoreFixture()
    }

    private static func configuration(_ durability: Durability = .fast) -> StoreConfiguration {
        var configuration = StoreFixture.configuration()
        configuration.durability = durability
        configuration.multiProcess = true
        configuration.closeDeadline = .seconds(2)
        return configuration
    }

    private func open(_ durability: Durability = .fast, faults: StoreFaults = StoreFaults()) throws -> Store {
        try fixture.open(Self.configuration(durability), faults: faults)
    }

    private func opened(_ changes: Changes) throws -> Store {
        try fixture.open(Self.configuration(), events: changes.events)
    }

    private func other(_ sharing: String = "shared", durability: Durability = .fast) throws -> ObedientProcess {
        let process = try ObedientProcess()
        #expect(process.ask("open \(fixture.path) \(durability.rawValue) \(sharing)") == "opened")
        return process
    }

    private func strings(_ store: Store, _ name: String = "t") throws -> StoreTable<Int, String> {
        try store.table(name, keyedBy: Int.self, codec: .string)
    }

    /// Counts what is reported.
    private final class Changes: Sendable {
        private let count = Atomic<Int>(0)
        private let newest = Atomic<UInt64>(0)

        var events: StoreEvents {
            StoreEvents(onExternalChange: { [self] change in
                count.add(1, ordering: .relaxed)
                // Each tells of something newer.
                #expect(newest.exchange(change.snapshot, ordering: .relaxed) < change.snapshot)
            })
        }

        /// How many were reported since the last time.
        func take() -> Int { count.exchange(0, ordering: .relaxed) }

        /// How many were reported since then, without taking them.
        var total: Int { count.load(ordering: .relaxed) }
    }

    // MARK: Who may open it

    @Test(
        "V80 A73 a store that is shared keeps out who wants it alone, and the other way round, by name and with the remedy"
    )
    func exclusion() throws {
        let other = try other()
        let alone = #expect(throws: StoreError.self) { try fixture.open() }
        #expect(alone?.code == .inUse)
        let message = alone?.message ?? ""
        #expect(message.contains(fixture.path) && message.contains("process \(other.number), which shares it"))
        #expect(message.contains("multiProcess"))
        #expect(#expect(throws: StoreError.self) { try Store.destroy(at: fixture.path) }?.code == .inUse)
        #expect(#expect(throws: StoreError.self) { try Store.verify(at: fixture.path) }?.code == .inUse)
        let store = try open()
        #expect(store.isOpen)
        #expect(other.ask("close") == "done")
        // The test has it now, for sharing.
        #expect(other.ask("open \(fixture.path) fast alone")?.hasPrefix("refused inUse") == true)
        try store.close()
        #expect(other.ask("open \(fixture.path) fast alone") == "opened")
        let shared = #expect(throws: StoreError.self) { try open() }
        #expect(shared?.code == .inUse)
        #expect(shared?.message.contains("process \(other.number), which does not share it") == true)
        #expect(other.ask("close") == "done")
        try open().close()
        #expect(try Store.verify(at: fixture.path).isSound)
    }

    @Test(
        "another durability than that of the processes that share a store is refused, checkpoints before anything is made"
    )
    func durability() throws {
        let other = try other(durability: .commit)
        let error = #expect(throws: StoreError.self) { try open(.strict) }
        #expect(error?.code == .configurationMismatch)
        #expect(error?.message.contains("durability is commit, not strict") == true)
        let store = try open(.commit)
        try store.close()
        let checkpointed = #expect(throws: StoreError.self) { try open(.checkpointed) }
        #expect(checkpointed?.code == .invalidConfiguration)
        #expect(checkpointed?.message.hasPrefix("durability is checkpointed: with multiProcess") == true)
        #expect(other.ask("close") == "done")
    }

    @Test("what concerns the file as a whole is refused while it may be shared, and done when it is not")
    func compaction() throws {
        let store = try open()
        try strings(store).setValue("v", forKey: 1)
        let error = #expect(throws: StoreError.self) { try store.compact() }
        #expect(error?.code == .inUse)
        try store.flush()
        try store.close()
        let alone = try fixture.open()
        try alone.compact()
        #expect(try strings(alone).value(forKey: 1) == "v")
        try alone.close()
    }

    @Test("L63 the last process to close leaves the store clean, whoever opened it first; a killed one does not count")
    func lastCloser() throws {
        let first = try other()
        let store = try open()
        let second = try other()
        #expect(first.ask("put t 1 first") == "done")
        #expect(first.ask("close") == "done")
        #expect(try !fixture.state().isClean)
        #expect(second.ask("put t 2 second") == "done")
        try store.close()
        #expect(try !fixture.state().isClean)
        #expect(second.ask("close") == "done")
        #expect(try fixture.state().isClean)

        let killed = try other()
        #expect(killed.ask("put t 3 third") == "done")
        #expect(killed.ask("flush") == "done")
        let third = try open()
        killed.kill()
        try third.close()
        #expect(try fixture.state().isClean)
        let alone = try fixture.open()
        let table = try strings(alone)
        #expect([1, 2, 3].map { table.value(forKey: $0) } == ["first", "second", "third"])
        try alone.close()
    }

    @Test("a process that found damage is not forgotten by the one that closes after it")
    func suspicion() throws {
        let store = try open(
            faults: StoreFaults(beforeCommit: { keys in
                // MDB_CORRUPTED
                keys.contains(7.storeKeyBytes) ? LMDBFault(result: -30_796) : nil
            })
        )
        let other = try other()
        try strings(store).setValue("v", forKey: 7)
        #expect(throws: StoreError.self) { try store.flush() }
        try store.close()
        #expect(try fixture.state().isSuspect && !fixture.state().isClean)
        #expect(other.ask("put t 1 v") == "done")
        #expect(other.ask("close") == "done")
        #expect(try fixture.state().isSuspect && !fixture.state().isClean)
        // Checked as a whole, it turns out to be sound.
        try open().close()
        #expect(try !fixture.state().isSuspect && fixture.state().isClean)
    }

    @Test("opening waits for a process that is being opened or closed, and gives up with an error that says so")
    func gate() throws {
        let store = try open()
        let gate = try OwnerLock(StoreDirectory(path: fixture.path), isShared: true, deadline: .after(.seconds(5)))
        #expect(!gate.isFirst)
        let other = try ObedientProcess()
        // The deadline is closeDeadline and five seconds.
        #expect(other.ask("open \(fixture.path) fast shared")?.hasPrefix("refused timedOut") == true)
        gate.share()
        #expect(other.ask("open \(fixture.path) fast shared") == "opened")
        #expect(other.ask("close") == "done")
        try store.close()
        #expect(try !fixture.state().isClean)
    }

    @Test("a lock file that was removed with its store is not taken for the lock of the next one")
    func removedLock() throws {
        let directory = try StoreDirectory(path: fixture.path)
        let first = Lock<OwnerLock?>(try OwnerLock(directory, isShared: true))
        let second = Lock<OwnerLock?>(nil)
        let waiter = try OSThread {
            // Waits for the gate of the file that is there now.
            let lock = try? OwnerLock(directory, isShared: true, deadline: .after(.seconds(20)))
            second.withLock { $0 = lock }
        }
        usleep(50_000)
        #expect(Files.remove(fixture.path + "/" + OwnerLock.name))
        first.withLock { $0 = nil }
        waiter.join()
        #expect(second.withLock { $0?.isFirst } == true)
        #expect(throws: StoreError.self) { try OwnerLock(directory) }
        second.withLock { $0 = nil }
        _ = try OwnerLock(directory)
    }

    // MARK: What one writes and the other reads

    @Test("L67 B27 what another process has committed is read at once: put, replaced, removed, cleared, put again")
    func visibility() throws {
        let store = try open()
        let table = try strings(store)
        let other = try other()
        for round in 0..<50 {
            #expect(other.ask("put t 1 a\(round)") == "done")
            #expect(other.ask("flush") == "done")
            #expect(table.value(forKey: 1) == "a\(round)")
            // Beside the one that is left of the round before.
            #expect(table.count == (round == 0 ? 1 : 2))
            #expect(other.ask("remove t 1") == "done")
            #expect(other.ask("flush") == "done")
            #expect(table.value(forKey: 1) == nil && !table.contains(1))
            #expect(other.ask("put t 1 b\(round)") == "done")
            #expect(other.ask("flush") == "done")
            #expect(table.contains(1))
            #expect(other.ask("clear t") == "done")
            #expect(other.ask("flush") == "done")
            #expect(table.value(forKey: 1) == nil)
            #expect(table.keys().isEmpty && table.count == 0)
            // Into the instance that only the other one has made.
            try table.setValue("c\(round)", forKey: 2)
            try store.flush()
            #expect(other.ask("get t 2") == "value c\(round)")
            table.removeAll()
            #expect(table.value(forKey: 2) == nil)
            try table.setValue("d\(round)", forKey: 3)
            #expect(table.value(forKey: 3) == "d\(round)" && table.keys() == [3])
            try store.flush()
            #expect(table.value(forKey: 3) == "d\(round)" && table.keys() == [3])
            #expect(other.ask("get t 2") == "none")
            #expect(other.ask("get t 3") == "value d\(round)")
            #expect(other.ask("count t") == "count 1")
        }
        #expect(other.ask("close") == "done")
        try store.close()
        let verification = try Store.verify(at: fixture.path)
        #expect(verification.isSound, "\(verification.findings)")
    }

    @Test("A13 queued writes stay visible, and go to where the table lies by then, when another process clears it")
    func queuedWrites() throws {
        let (stopped, go) = (Flag(), Flag())
        let store = try fixture.open(
            Self.configuration(),
            events: StoreEvents(onWriteError: { _, _ in
                // The writer's thread stays here, outside every transaction.
                stopped.isSet = true
                while !go.isSet { usleep(100) }
            }),
            faults: StoreFaults(beforeCommit: { $0.contains(7.storeKeyBytes) ? LMDBFault(result: EIO) : nil })
        )
        let table = try strings(store)
        let other = try other()
        for round in 0..<20 {
            try table.setValue("old", forKey: 2)
            try store.flush()
            (stopped.isSet, go.isSet) = (false, false)
            try table.setValue("fails", forKey: 7)
            while !stopped.isSet { usleep(100) }
            try table.setValue("new \(round)", forKey: 1)
            #expect(other.ask("clear t") == "done")
            #expect(other.ask("put t 3 theirs") == "done")
            #expect(other.ask("flush") == "done")
            #expect(table.value(forKey: 2) == nil)
            #expect(table.value(forKey: 3) == "theirs")
            #expect(table.value(forKey: 1) == "new \(round)")
            #expect(table.keys().sorted() == [1, 3])
            if round % 2 == 0 {
                // Its own clear, on top of the other's.
                table.removeAll()
                try table.setValue("newer", forKey: 1)
                #expect(table.value(forKey: 3) == nil && table.keys() == [1])
            }
            let value = round % 2 == 0 ? "newer" : "new \(round)"
            #expect(table.value(forKey: 1) == value)
            go.isSet = true
            #expect(throws: StoreError.self) { try store.flush() }
            try store.flush()
            #expect(table.value(forKey: 1) == value)
            #expect(other.ask("get t 1") == "value \(value)")
            #expect(other.ask("get t 3") == (round % 2 == 0 ? "none" : "value theirs"))
        }
        #expect(other.ask("close") == "done")
        try store.close()
        #expect(try Store.verify(at: fixture.path).isSound)
    }

    @Test("writes to a table that two processes clear and fill at once have their effect, all in one order")
    func racingClears() throws {
        let store = try open()
        let table = try strings(store)
        let other = try other()
        for round in 0..<50 {
            #expect(other.ask("clear t") == "done")
            try table.setValue("new \(round)", forKey: 1)
            #expect(other.ask("put t 2 theirs") == "done")
            #expect(other.ask("flush") == "done")
            try store.flush()
            // The clear may have come after it.
            let value = table.value(forKey: 1)
            #expect(value == "new \(round)" || value == nil)
            #expect(other.ask("get t 1") == value.map { "value \($0)" } ?? "none")
            #expect(table.value(forKey: 2) == "theirs")
        }
        #expect(other.ask("close") == "done")
        try store.close()
    }

    @Test("Y14 a read that meets a commit of its own process before the writer has noted it tells it from another's")
    func unnotedCommit() throws {
        let changes = Changes()
        let table = Lock<StoreTable<Int, String>?>(nil)
        let found = Lock<[String?]>([])
        let store = try fixture.open(
            Self.configuration(),
            events: changes.events,
            faults: StoreFaults(afterCommit: {
                guard let table = table.withLock({ $0 }) else { return }
                let value = table.value(forKey: 2)
                found.withLock { $0.append(value) }
            })
        )
        let opened = try strings(store)
        try opened.setValue("v", forKey: 2)
        try store.flush()
        table.withLock { $0 = opened }
        for number in 0..<20 {
            try opened.setValue("\(number)", forKey: 1)
            if number % 5 == 4 {
                opened.removeAll()
                try opened.setValue("w", forKey: 2)
            }
            try store.flush()
        }
        #expect(found.withLock { $0.count } >= 20)
        #expect(changes.take() == 0)
        #expect(opened.value(forKey: 1) == nil && opened.value(forKey: 2) == "w")
        table.withLock { $0 = nil }
        try store.close()
    }

    @Test("a snapshot from before the newest commit that was seen is not taken for it")
    func outdatedSnapshot() throws {
        let store = try open()
        let table = try strings(store)
        try table.setValue("v", forKey: 1)
        try store.flush()
        let sharing = try #require(store.core.sharing)
        let records = store.core.records
        let isRight = try store.core.readers.read { (snapshot) throws(LMDBError) -> Bool in
            var isRight = sharing.isCurrent(snapshot.number)
            try? table.setValue("w", forKey: 1)
            try? store.flush()
            isRight = isRight && !sharing.isCurrent(snapshot.number)
            let change = try sharing.follow(snapshot.number, records, snapshot)
            return isRight && change == nil && !sharing.isCurrent(snapshot.number)
        }
        #expect(isRight == true)
        #expect(table.value(forKey: 1) == "w")
        try store.close()
    }

    @Test("Y14 commits of others are reported once, at the next read or write at the latest, and one's own never")
    func notice() throws {
        let changes = Changes()
        let store = try opened(changes)
        let table = try strings(store)
        for key in 0..<500 {
            try table.setValue("own", forKey: key)
            if key % 50 == 0 { table.removeAll() }
            if key % 7 == 0 { try store.flush() }
            _ = table.value(forKey: key)
        }
        try store.flush()
        #expect(changes.take() == 0)
        let other = try other()
        // Opening and closing change nothing.
        #expect(other.ask("get t 499") == "value own")
        _ = table.value(forKey: 1)
        #expect(changes.take() == 0)
        var reported = 0
        for round in 0..<20 {
            for step in 0..<3 {
                #expect(other.ask("put t 1 \(round)-\(step)") == "done")
                #expect(other.ask("flush") == "done")
            }
            if round % 2 == 0 {
                #expect(table.value(forKey: 1) == "\(round)-2")
            } else {
                try table.setValue("own", forKey: 2)
                try store.flush()
            }
            // One, unless the store itself looked between two of the three.
            let found = changes.take()
            #expect((1...3).contains(found))
            reported += found
            _ = table.value(forKey: 1)
            try table.setValue("own", forKey: 2)
            try store.flush()
            _ = table.value(forKey: 1)
            #expect(changes.take() == 0)
        }
        #expect(store.statistics.externalChanges == UInt64(reported))
        #expect(other.ask("changes")?.hasPrefix("changes ") == true)
        #expect(other.ask("close") == "done")
        try store.removeExpired()
        _ = table.value(forKey: 1)
        #expect(changes.take() == 0)
        try store.close()
    }

    @Test("Y14 a process that does nothing is told as well, once for each commit it can tell apart, and not of its own")
    func noticeWhenIdle() async throws {
        let changes = Changes()
        let store = try opened(changes)
        let table = try strings(store)
        let other = try other()
        for round in 0..<5 {
            #expect(other.ask("put t 1 \(round)") == "done")
            #expect(other.ask("flush") == "done")
            #expect(await eventually { changes.total > round })
        }
        for round in 1...3 {
            try table.setValue("own \(round)", forKey: 2)
            try await store.flush()
            // The other process is idle, too. Meanwhile this one has looked as often.
            #expect(await eventually { other.ask("changes") == "changes \(round)" })
        }
        // It has looked for sure once it has seen this one.
        #expect(other.ask("put t 1 last") == "done")
        #expect(other.ask("flush") == "done")
        #expect(await eventually { changes.total > 5 })
        #expect(changes.total == 6)
        try store.close()
        #expect(other.ask("put t 1 late") == "done")
        #expect(other.ask("flush") == "done")
        // Longer than the store would leave between two looks.
        try await Task.sleep(for: .milliseconds(250))
        #expect(changes.total == 6)
        #expect(other.ask("close") == "done")
    }

    @Test("Y14 a process that does nothing is told of commits that have outgrown its map")
    func noticeBeyondMap() async throws {
        let changes = Changes()
        let store = try fixture.open(
            Self.configuration(),
            events: changes.events,
            faults: StoreFaults(mapBytes: 4 << 20)
        )
        let table = try strings(store)
        try table.setValue("own", forKey: -1)
        try await store.flush()
        let other = try other()
        #expect(other.ask("fill t 1000 8000") == "done")
        #expect(other.ask("flush") == "done")
        #expect(await eventually { changes.total > 0 })
        #expect(table.value(forKey: 999)?.utf8.count == 8_000 && table.value(forKey: -1) == "own")
        #expect(other.ask("close") == "done")
        try store.close()
    }

    @Test("Y14 with readers and the writer at work on many threads, not one commit of one's own is reported")
    func noticeUnderLoad() throws {
        let changes = Changes()
        let store = try opened(changes)
        let table = try strings(store)
        #expect(
            threads(4) { number in
                for round in 0..<2_000 {
                    if number == 0 { try? table.setValue("\(round)", forKey: round % 16) }
                    if number == 1, round % 100 == 0 { table.removeAll() }
                    if number == 2, round % 20 == 0 { try? store.flush() }
                    _ = table.value(forKey: round % 16)
                }
            }
        )
        try store.flush()
        _ = table.value(forKey: 0)
        #expect(changes.take() == 0)
        #expect(store.statistics.externalChanges == 0)
        try store.close()
    }

    // MARK: Tables

    @Test("B74 tables that two processes make at once are the same in both, and apart from others")
    func tables() throws {
        let store = try open()
        let other = try other()
        for number in 0..<40 {
            // Neither knows of the other's next table.
            try strings(store, "own \(number)").setValue("own", forKey: 1)
            #expect(other.ask("put theirs\(number) 1 theirs") == "done")
            try strings(store, "both\(number)").setValue("mine", forKey: 1)
            #expect(other.ask("put both\(number) 2 theirs") == "done")
            #expect(other.ask("flush") == "done")
            try store.flush()
            #expect(try strings(store, "own \(number)").keys() == [1])
            #expect(try strings(store, "theirs\(number)").value(forKey: 1) == "theirs")
            #expect(try strings(store, "both\(number)").keys().sorted() == [1, 2])
        }
        try store.removeAll()
        try store.flush()
        #expect(other.ask("get theirs7 1") == "none")
        #expect(other.ask("bytes both1")?.hasPrefix("refused invalidTable") == true)
        #expect(other.ask("bytes new") == "done")
        let error = #expect(throws: StoreError.self) { try strings(store, "new") }
        #expect(error?.code == .invalidTable)
        #expect(other.ask("close") == "done")
        try store.close()
        #expect(try Store.verify(at: fixture.path).isSound)
    }

    @Test("a clear that could not be committed comes with the next commit, before what was written after it")
    func overdueClear() throws {
        let flag = Flag()
        let store = try open(faults: StoreFaults(beforeCommit: { _ in flag.isSet ? LMDBFault(result: EIO) : nil }))
        let table = try strings(store)
        try table.setValue("old", forKey: 1)
        try table.setValue("old", forKey: 2)
        try store.flush()
        let other = try other()
        flag.isSet = true
        table.removeAll()
        #expect(throws: StoreError.self) { try store.flush() }
        #expect(table.value(forKey: 1) == nil && table.count == 0)
        #expect(other.ask("get t 1") == "value old")
        flag.isSet = false
        try table.setValue("new", forKey: 2)
        try store.flush()
        #expect(table.value(forKey: 1) == nil && table.value(forKey: 2) == "new")
        #expect(other.ask("get t 1") == "none")
        #expect(other.ask("get t 2") == "value new")
        #expect(other.ask("close") == "done")
        try store.close()
    }
}

/// A switch for a fault.
final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool {
        get { value.load(ordering: .relaxed) }
        set { value.store(newValue, ordering: .relaxed) }
    }
}
