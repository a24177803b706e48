import LarderStore
import Synchronization
import TestSupport
import Testing
import Threading

@testable import LarderStore

struct QueueTests {
    private func configuration(_ overflow: QueueOverflow) -> StoreConfiguration {
        var configuration = StoreFixture.configuration()
        configuration.queue = .init(bytes: .kibibytes(16), overflow: overflow)
        return configuration
    }

    @Test("A71 L8 V69 with a slow disk callers wait for room, the queue stays bounded and nothing is lost")
    func waits() throws {
        let (fixture, gate) = (try StoreFixture(), CommitGate())
        let store = try fixture.open(configuration(.wait), faults: gate.hooks)
        let table = try fixture.numbersToBytes(store)
        let written = Atomic<Int>(0)
        let peak = Atomic<Int>(0)
        let producer = try OSThread {
            for key in 0..<300 {
                try? table.setValue(pattern(key, count: 1_000), forKey: key)
                written.add(1, ordering: .relaxed)
                peak.max(store.statistics.queuedBytes, ordering: .relaxed)
            }
        }
        // As long as nothing is committed no more than the queue holds can be written.
        while written.load(ordering: .relaxed) < 12 { idle(for: .microseconds(200)) }
        #expect(written.load(ordering: .relaxed) < 20)
        #expect(table.value(forKey: 0) == pattern(0, count: 1_000))
        gate.open()
        producer.join()
        try store.flush()
        #expect(peak.load(ordering: .relaxed) <= 16 << 10)
        #expect(store.statistics.queuedBytes == 0)
        for key in 0..<300 { #expect(table.value(forKey: key) == pattern(key, count: 1_000)) }
        #expect(store.statistics.droppedQueueFull == 0)
        try store.close()
    }

    @Test("V36 a queue that drops counts every write it drops, and their older values are gone")
    func drops() throws {
        let (fixture, gate) = (try StoreFixture(), CommitGate())
        do {
            let store = try fixture.open()
            let table = try fixture.numbersToBytes(store)
            for key in 0..<100 { try table.setValue([0], forKey: key) }
            try store.close()
        }
        let store = try fixture.open(configuration(.drop), faults: gate.hooks)
        let table = try fixture.numbersToBytes(store)
        for key in 0..<100 { try table.setValue(pattern(key, count: 1_000), forKey: key) }
        gate.open()
        try store.flush()
        var missing: UInt64 = 0
        for key in 0..<100 {
            guard let value = table.value(forKey: key) else {
                missing += 1
                continue
            }
            #expect(value == pattern(key, count: 1_000))
        }
        #expect(missing > 0 && missing < 100)
        #expect(store.statistics.droppedQueueFull == missing)
        try store.close()
    }

    @Test("a prepared write that is dropped gives its room back")
    func droppedPreparation() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open(configuration(.wait))
        let table = try fixture.numbersToBytes(store)
        for key in 0..<200 {
            _ = try table.prepare(
                pattern(key, count: 3_000),
                forKey: key,
                cost: nil,
                created: fixture.clock.now,
                expires: nil
            )
        }
        #expect(store.statistics.queuedBytes == 0)
        try table.setValue([1], forKey: 1)
        try store.flush()
        #expect(table.count == 1)
        try store.close()
    }

    @Test("V34 V17 what is queued is what is read: replaced, removed, and put back")
    func readYourWrites() throws {
        let (fixture, gate) = (try StoreFixture(), CommitGate())
        let store = try fixture.open(faults: gate.hooks)
        let table = try fixture.numbers(store)
        try table.setValue(1, forKey: 1)
        try table.setValue(2, forKey: 1)
        #expect(table.value(forKey: 1) == 2 && table.contains(1))
        table.removeValue(forKey: 1)
        #expect(table.value(forKey: 1) == nil && !table.contains(1))
        try table.setValue(3, forKey: 1)
        #expect(table.value(forKey: 1) == 3)
        #expect(table.keys() == [1])
        gate.open()
        try store.flush()
        #expect(table.value(forKey: 1) == 3)
        try store.close()
    }

    @Test("B31 ten thousand single writes are committed together, not one by one")
    func groupCommit() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let table = try fixture.numbers(store)
        for key in 0..<10_000 { try table.setValue(key, forKey: key) }
        try store.flush()
        #expect(store.statistics.puts == 10_000)
        #expect(store.statistics.commits < 2_500)
        try store.close()
    }

    /// A store that commits one write at a time, each once the gate is open, and gives a closing no time.
    private func stalledStore(_ fixture: StoreFixture, _ gate: CommitGate) throws -> Store {
        var configuration = StoreFixture.configuration()
        configuration.closeDeadline = .zero
        configuration.queue.maxBatchOperations = 1
        return try fixture.open(configuration, faults: gate.hooks)
    }

    @Test("L3 A80 closing within a deadline of zero drops what is queued, says how much, and nothing old comes back")
    func closeDeadline() throws {
        let fixture = try StoreFixture()
        do {
            let store = try fixture.open()
            let table = try fixture.numbers(store)
            for key in 0..<10 { try table.setValue(-1, forKey: key) }
            try store.close()
        }
        let gate = CommitGate()
        let store = try stalledStore(fixture, gate)
        let table = try fixture.numbers(store)
        for key in 0..<1_000 { try table.setValue(key, forKey: key) }
        let opener = try OSThread {
            while store.core.queue.closeDeadline == nil { idle(for: .microseconds(200)) }
            gate.open()
        }
        let error = #expect(throws: StoreError.self) { try store.close() }
        opener.join()
        #expect(error?.code == .timedOut)
        #expect(error?.message.contains("closeDeadline") == true)
        #expect(store.statistics.droppedQueueFull > 0)

        let reopened = try fixture.open()
        let after = try fixture.numbers(reopened)
        for key in 0..<10 { #expect(after.value(forKey: key) != -1) }
        #expect(UInt64(after.count) == 1_000 - store.statistics.droppedQueueFull)
        try reopened.close()
    }

    @Test("L3 A82 a flush whose writes are dropped by a close says so")
    func flushAcrossCloseDeadline() throws {
        let fixture = try StoreFixture()
        let gate = CommitGate()
        let store = try stalledStore(fixture, gate)
        let table = try fixture.numbers(store)
        for key in 0..<100 { try table.setValue(key, forKey: key) }
        let flushed = Lock<StoreError??>(.none)
        let flusher = try OSThread {
            var error: StoreError?
            do throws(StoreError) { try store.flush() } catch let failure { error = failure }
            flushed.withLock { $0 = .some(error) }
        }
        while store.core.queue.state.withLock({ $0.awaited.isEmpty }) { idle(for: .microseconds(200)) }
        let opener = try OSThread {
            while store.core.queue.closeDeadline == nil { idle(for: .microseconds(200)) }
            gate.open()
        }
        let error = #expect(throws: StoreError.self) { try store.close() }
        for thread in [flusher, opener] { thread.join() }
        #expect(store.statistics.droppedQueueFull > 0)
        #expect(error?.code == .timedOut)
        #expect(flushed.withLock { $0 }??.code == .timedOut)
    }

    @Test("V68 B24 after closing, reads are misses, writes a typed error or nothing, and closing again is nothing")
    func closed() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let table = try fixture.numbers(store)
        try table.setValue(1, forKey: 1)
        let prepared = try table.prepare(2, forKey: 2, cost: nil, created: fixture.clock.now, expires: nil)
        try store.close()
        try store.close()
        #expect(!store.isOpen)
        #expect(table.value(forKey: 1) == nil)
        #expect(!table.contains(1))
        #expect(table.keys().isEmpty)
        table.enqueue(prepared)
        table.removeValue(forKey: 1)
        table.removeAll()
        #expect(throws: StoreError.self) { try table.setValue(1, forKey: 1) }
        let error = #expect(throws: StoreError.self) { try store.removeAll() }
        #expect(error?.code == .closed)
        #expect(throws: StoreError.self) { try fixture.numbers(store) }
        try store.flush()
        let reopened = try fixture.open()
        #expect(try fixture.numbers(reopened).value(forKey: 1) == 1)
        try reopened.close()
    }

    @Test("flush in asynchronous code waits without blocking, many at once")
    func asynchronousFlush() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let table = try fixture.numbers(store)
        try await withThrowingTaskGroup { group in
            for key in 0..<200 {
                group.addTask {
                    try table.setValue(key, forKey: key)
                    try await store.flush()
                    #expect(table.count > 0)
                }
            }
            try await group.waitForAll()
        }
        #expect(table.count == 200)
        try store.close()
    }
}
