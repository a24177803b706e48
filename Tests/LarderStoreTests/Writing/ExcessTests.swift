import Glibc
import Synchronization
import TestSupport
import Testing
import Threading

@testable import LarderStore

/// Removals that stand in for dropped writes while the disk hangs: they stay bounded, and no older value is ever read.
struct ExcessTests {
    private let fixture: StoreFixture
    private let gate = CommitGate()
    private let reports = RecoveryReports()

    /// More than may be removed one by one beyond a queue of 16 KiB: a mebibyte of 256 bytes and the key each.
    private static let manyKeys = 6_000
    private static let queueBytes = 16 << 10

    init() throws {
        fixture = try StoreFixture()
    }

    private static func configuration(multiProcess: Bool = false) -> StoreConfiguration {
        var configuration = StoreFixture.configuration()
        configuration.queue = .init(bytes: .bytes(queueBytes), overflow: .drop)
        configuration.multiProcess = multiProcess
        return configuration
    }

    /// A store with `count` old values whose commits hang from now on.
    private func stalledStore(count: Int, multiProcess: Bool = false) throws -> (Store, StoreTable<Int, [UInt8]>) {
        var plain = StoreFixture.configuration()
        plain.multiProcess = multiProcess
        let store = try fixture.open(plain)
        let table = try fixture.numbersToBytes(store)
        for key in 0..<count { try table.setValue([0], forKey: key) }
        try store.close()
        gate.open()
        let stalled = try fixture.open(
            Self.configuration(multiProcess: multiProcess),
            events: reports.events,
            faults: gate.hooks
        )
        let reopened = try fixture.numbersToBytes(stalled)
        gate.close()
        return (stalled, reopened)
    }

    private static func value(_ key: Int) -> [UInt8] { pattern(key, count: 1_000) }

    @Test("A71 V36 however often a key's writes are dropped, one removal waits for it")
    func oneForEachKey() throws {
        let (store, table) = try stalledStore(count: 100)
        for _ in 0..<100 { for key in 0..<100 { try table.setValue(Self.value(key), forKey: key) } }
        for _ in 0..<100 { table.removeValue(forKey: 50) }
        #expect(store.statistics.queuedBytes <= Self.queueBytes + 100 * 300)
        #expect(store.core.queue.state.withLock { $0.count } <= 200)
        let dropped = store.statistics.droppedQueueFull
        #expect(dropped > 9_800)
        for key in 0..<100 { #expect(table.value(forKey: key).map { $0 == Self.value(key) } ?? true) }
        gate.open()
        try store.flush()
        #expect(store.statistics.queuedBytes == 0)
        for key in 0..<100 { #expect(table.value(forKey: key).map { $0 == Self.value(key) } ?? true) }
        #expect(table.value(forKey: 50) == nil)
        // One that is written once there is room is stored.
        try table.setValue([7], forKey: 50)
        try store.flush()
        #expect(table.value(forKey: 50) == [7] && store.statistics.droppedQueueFull == dropped)
        #expect(reports.list.isEmpty)
        try store.close()
    }

    @Test("A71 a dropped write under a key that is not stored leaves nothing to remove", arguments: [false, true])
    func newKeys(multiProcess: Bool) throws {
        let (store, table) = try stalledStore(count: 100, multiProcess: multiProcess)
        for key in 1_000..<21_000 { try table.setValue(Self.value(key), forKey: key) }
        for key in 30_000..<40_000 { table.removeValue(forKey: key) }
        #expect(store.statistics.queuedBytes <= Self.queueBytes)
        gate.open()
        try store.flush()
        for key in 0..<100 { #expect(table.value(forKey: key) == [0]) }
        var missing: UInt64 = 0
        for key in 1_000..<21_000 where table.value(forKey: key) == nil { missing += 1 }
        #expect(store.statistics.droppedQueueFull == missing)
        #expect(reports.list.isEmpty)
        try store.close()
    }

    @Test("A19 a write committed between the look for something to remove and the queueing of its removal is removed")
    func committedMeanwhile() throws {
        let (store, table) = try stalledStore(count: 0)
        try table.setValue([1], forKey: 1)
        for key in 2..<100 { try table.setValue(Self.value(key), forKey: key) }
        let (dropped, time) = (store.statistics.droppedQueueFull, fixture.clock.now)
        let write = try table.prepare(Self.value(1), forKey: 1, cost: nil, created: time, expires: nil)
        #expect(dropped > 0 && store.statistics.droppedQueueFull == dropped + 1)
        gate.open()
        try store.flush()
        #expect(table.value(forKey: 1) == [1])
        table.enqueue(write)
        #expect(table.value(forKey: 1) == nil)
        try store.flush()
        #expect(table.value(forKey: 1) == nil)
        try store.close()
    }

    @Test(
        "A71 V36 more removals than may wait empty the table, with what waits for it, and say so",
        arguments: [false, true]
    )
    func emptied(multiProcess: Bool) throws {
        let (store, table) = try stalledStore(count: Self.manyKeys + 100, multiProcess: multiProcess)
        for round in 0..<3 {
            for key in 0..<Self.manyKeys {
                try table.setValue(Self.value(key + round), forKey: key)
                let value = table.value(forKey: key)
                #expect(value == nil || value == Self.value(key + round))
            }
        }
        for key in 0..<Self.manyKeys { table.removeValue(forKey: key + 50) }
        #expect(store.statistics.queuedBytes <= Self.queueBytes + (1 << 20) + 600)
        #expect(store.core.queue.state.withLock { $0.count } < 5_000)
        // What reads see while the disk hangs is what there is afterwards.
        for key in 0..<Self.manyKeys + 100 { #expect(table.value(forKey: key) == nil) }
        gate.open()
        try store.flush()
        #expect(reports.list.count == 1)
        #expect(reports.list.first?.reason == .queueOverflowed)
        #expect(reports.list.first?.description.contains("\"\(table.name)\"") == true)
        for key in 0..<Self.manyKeys + 100 { #expect(table.value(forKey: key) == nil) }
        #expect(store.statistics.droppedQueueFull == UInt64(3 * Self.manyKeys))
        try table.setValue([1], forKey: 1)
        try store.close()
        let reopened = try fixture.open(
            multiProcess ? Self.configuration(multiProcess: true) : StoreFixture.configuration()
        )
        let after = try fixture.numbersToBytes(reopened)
        #expect(after.value(forKey: 1) == [1])
        #expect(after.count == 1)
        try reopened.close()
        #expect(try Store.verify(at: fixture.path).isSound)
    }

    @Test(
        "A19 the removal that empties the table removes the write of its own key that was let in",
        arguments: [false, true],
        // One that the writer has taken, and one that waits.
        [0, 5]
    )
    func ownKey(multiProcess: Bool, key: Int) throws {
        let (store, table) = try stalledStore(count: Self.manyKeys, multiProcess: multiProcess)
        var next = 0
        // The key, and what an operation takes beside it.
        while store.statistics.queuedBytes + 8 + 256 <= Self.queueBytes + (1 << 20) {
            try table.setValue(Self.value(next), forKey: next)
            next += 1
        }
        #expect(table.value(forKey: key) == Self.value(key))
        table.removeValue(forKey: key)
        #expect(table.value(forKey: key) == nil)
        gate.open()
        try store.flush()
        #expect(reports.list.count == 1)
        #expect(table.value(forKey: key) == nil)
        try store.close()
    }

    @Test("a table that is emptied while the writer has nothing to do is emptied at once")
    func idleWriter() throws {
        let (store, table) = try stalledStore(count: 1)
        gate.open()
        let time = fixture.clock.now
        // These take their room before they are queued.
        let full = try table.prepare(Self.value(1), forKey: 1, cost: nil, created: time, expires: nil)
        let others = (0..<20).map {
            try? table.prepare(Self.value($0), forKey: 1, cost: nil, created: time, expires: nil)
        }
        let removals = (0..<Self.manyKeys).map { _ in table.prepareRemoval(forKey: 0) }
        #expect(eventually { store.core.queue.state.withLock { $0.isWriterWaiting } })
        table.removeValue(forKey: 0)
        #expect(eventually { reports.list.count == 1 })
        table.enqueue(full)
        try store.flush()
        #expect(removals.count == Self.manyKeys && others.count == 20)
        #expect(table.value(forKey: 0) == nil && table.value(forKey: 1) == Self.value(1))
        try store.close()
    }

    @Test("A71 a write that is larger than the queue is no reason to empty the table")
    func largeWrite() throws {
        let (store, table) = try stalledStore(count: 100)
        try table.setValue([UInt8](repeating: 1, count: 2 << 20), forKey: 1_000)
        for key in 0..<50 { try table.setValue(Self.value(key), forKey: key) }
        #expect(store.statistics.droppedQueueFull == 50)
        gate.open()
        try store.flush()
        #expect(reports.list.isEmpty)
        for key in 0..<50 { #expect(table.value(forKey: key) == nil) }
        for key in 50..<100 { #expect(table.value(forKey: key) == [0]) }
        try store.close()
    }

    @Test("V36 while nothing is replaced, what is missing is what was dropped, though the table was emptied")
    func counted() throws {
        let (store, table) = try stalledStore(count: Self.manyKeys)
        for key in 0..<Self.manyKeys { try table.setValue(Self.value(key), forKey: key) }
        gate.open()
        try store.flush()
        #expect(reports.list.count == 1)
        var missing: UInt64 = 0
        for key in 0..<Self.manyKeys {
            guard let value = table.value(forKey: key) else {
                missing += 1
                continue
            }
            #expect(value == Self.value(key))
        }
        #expect(missing > 0 && store.statistics.droppedQueueFull == missing)
        try store.close()
    }

    @Test("emptying one table leaves the queued writes and the records of the others")
    func otherTables() throws {
        let (store, table) = try stalledStore(count: Self.manyKeys)
        let other = try fixture.bytes(store)
        try other.setValue([5], forKey: "queued")
        for key in 0..<Self.manyKeys { try table.setValue(Self.value(key), forKey: key) }
        #expect(other.value(forKey: "queued") == [5])
        gate.open()
        try store.flush()
        #expect(reports.list.count == 1)
        #expect(other.value(forKey: "queued") == [5])
        try store.close()
    }

    @Test("A71 after a flush nothing old is read after a kill either", arguments: Durability.allCases)
    func killed(_ durability: Durability) async throws {
        let (path, keys) = (fixture.path, Self.manyKeys)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, name = durability.rawValue as String, keys = keys as Int] in
            var configuration = StoreConfiguration(
                budget: .mebibytes(64),
                durability: try #require(Durability(rawValue: name))
            )
            configuration.queue = .init(bytes: .bytes(ExcessTests.queueBytes), overflow: .drop)
            let gate = CommitGate(isOpen: true)
            let store = try Store.open(
                at: path,
                configuration: configuration,
                clock: .system,
                events: StoreEvents(),
                faults: gate.hooks
            )
            let table: StoreTable<Int, Int> = try store.table("numbers", codec: .integer)
            for key in 0..<keys {
                // One at a time, for nothing may be dropped yet.
                if key % 50 == 0 { try store.flush() }
                try table.setValue(0, forKey: key)
            }
            try store.flush()
            guard store.statistics.droppedQueueFull == 0 else { return }
            gate.close()
            for key in 0..<keys { try table.setValue(key + 1, forKey: key) }
            gate.open()
            try store.flush()
            try table.setValue(keys, forKey: keys - 1)
            try store.flush()
            kill(getpid(), SIGKILL)
        }
        let store = try Store.open(
            at: path,
            configuration: StoreConfiguration(budget: .mebibytes(64), durability: durability)
        )
        let table: StoreTable<Int, Int> = try store.table("numbers", codec: .integer)
        for key in 0..<keys { #expect(table.value(forKey: key).map { $0 == key + 1 } ?? true) }
        #expect(table.value(forKey: keys - 1) == keys)
        try store.close()
    }

    /// What was written last under each key.
    private final class Versions: Sendable {
        private let newest: [Lock<UInt64>]

        init(_ count: Int) {
            newest = (0..<count).map { _ in Lock(0) }
        }

        subscript(key: Int) -> UInt64 { newest[key].withLock { $0 } }

        func note(_ version: UInt64, _ key: Int) { newest[key].withLock { $0 = version } }
    }

    private static func value(version: UInt64) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 300)
        for byte in 0..<8 { bytes[byte] = UInt8(truncatingIfNeeded: version >> (UInt64(byte) * 8)) }
        return bytes
    }

    private static func version(_ value: [UInt8]) -> UInt64 {
        (0..<8).reduce(0) { $0 | UInt64(value[$1]) << (UInt64($1) * 8) }
    }

    @Test("V17 A19 beside a disk that hangs now and then no read finds an older value than was written before it")
    func concurrently() throws {
        gate.open()
        let store = try fixture.open(
            Self.configuration(),
            events: reports.events,
            faults: gate.hooks
        )
        let table = try fixture.numbersToBytes(store)
        let (keys, writers) = (Self.manyKeys * 2, 3)
        let versions = Versions(keys)
        let stale = Atomic<Int>(0)
        let ends = Atomic<Bool>(false)
        let hangs = Atomic<Bool>(false)
        let seed = SeededRandom.printingSeed()
        let check = { @Sendable (key: Int) in
            let least = versions[key]
            guard let value = table.value(forKey: key), Self.version(value) < least else { return }
            stale.add(1, ordering: .relaxed)
        }
        let threads = try (0..<writers).map { writer in
            try OSThread {
                var random = seed
                for _ in 0...writer { _ = random.next() }
                var version: UInt64 = 0
                while !ends.load(ordering: .relaxed) {
                    // So that there is something to remove when it hangs.
                    if !hangs.load(ordering: .relaxed), store.statistics.queuedBytes > Self.queueBytes / 2 {
                        idle(for: .microseconds(50))
                        continue
                    }
                    version += 1
                    // Each key has one writer, so that its versions only rise.
                    let key = Int.random(in: 0..<(keys / writers), using: &random) * writers + writer
                    if version % 10 == 0 {
                        table.removeValue(forKey: key)
                    } else {
                        try? table.setValue(Self.value(version: version), forKey: key)
                    }
                    versions.note(version, key)
                    check(key)
                }
            }
        }
        let reader = try OSThread {
            var random = seed
            while !ends.load(ordering: .relaxed) { check(Int.random(in: 0..<keys, using: &random)) }
        }
        for round in 1...4 {
            #expect(eventually { store.statistics.entries > keys * 3 / 4 })
            gate.close()
            hangs.store(true, ordering: .relaxed)
            let dropped = store.statistics.droppedQueueFull
            #expect(eventually { store.statistics.droppedQueueFull > dropped + UInt64(4 * keys) })
            gate.open()
            #expect(eventually { reports.list.count >= round })
            hangs.store(false, ordering: .relaxed)
        }
        ends.store(true, ordering: .relaxed)
        for thread in threads + [reader] { thread.join() }
        try store.flush()
        for key in 0..<keys { check(key) }
        #expect(stale.load(ordering: .relaxed) == 0)
        try store.close()
        #expect(try Store.verify(at: fixture.path).isSound)
    }
}
