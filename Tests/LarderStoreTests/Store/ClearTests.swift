import Synchronization
import TestSupport
import Testing
import Threading

@testable import LarderStore

struct ClearTests {
    @Test("V81 L30 V67 removeAll is quick for its caller, at once for every read, and gives all space back")
    func removeAll() async throws {
        let fixture = try StoreFixture()
        let gate = CommitGate(isOpen: true)
        let store = try fixture.open(StoreFixture.configuration(budget: .mebibytes(4)), faults: gate.hooks)
        let table = try fixture.numbersToBytes(store)
        for key in 0..<5_000 { try table.setValue(pattern(key, count: 700), forKey: key) }
        try await store.flush()
        #expect(store.statistics.usedBytes > 3 << 20)
        // The writer gets no further until this is all over.
        gate.close()
        try table.setValue([], forKey: 0)
        table.removeAll()
        #expect(table.value(forKey: 4_999) == nil)
        #expect(table.count == 0)
        #expect(table.keys().isEmpty)
        gate.open()
        try await store.flush()
        #expect(store.statistics.entries == 0)
        #expect(await eventually { store.statistics.usedBytes < 200 << 10 })
        try store.close()
    }

    @Test("writes before a removeAll are gone and writes after it stay, in one batch or several")
    func order() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let table = try fixture.numbers(store)
        for isFlushed in [false, true] {
            try table.setValue(1, forKey: 1)
            if isFlushed { try store.flush() }
            table.removeAll()
            try table.setValue(2, forKey: 2)
            #expect(table.value(forKey: 1) == nil)
            #expect(table.value(forKey: 2) == 2)
            try store.flush()
            #expect(table.value(forKey: 1) == nil)
            #expect(table.value(forKey: 2) == 2)
            #expect(table.count == 1)
        }
        try store.close()
    }

    @Test("a write prepared before a removeAll and queued after it stays")
    func preparedBefore() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let table = try fixture.numbers(store)
        let write = try table.prepare(7, forKey: 7, cost: 1, created: fixture.clock.now, expires: nil)
        table.removeAll()
        table.enqueue(write)
        #expect(table.value(forKey: 7) == 7)
        try store.flush()
        #expect(table.value(forKey: 7) == 7)
        try store.close()
    }

    @Test("clearing one table leaves the others, and stays in effect over a reopening")
    func oneOfSeveral() throws {
        let fixture = try StoreFixture()
        var store = try fixture.open()
        for name in ["a", "b"] {
            let table = try store.table(name, keyedBy: Int.self, codec: .string)
            for key in 0..<400 { try table.setValue("\(name)\(key)", forKey: key) }
        }
        try store.flush()
        try store.table("a", keyedBy: Int.self, codec: .string).removeAll()
        try store.close()
        store = try fixture.open()
        let (a, b) = (
            try store.table("a", keyedBy: Int.self, codec: .string),
            try store.table("b", keyedBy: Int.self, codec: .string)
        )
        #expect(a.value(forKey: 1) == nil)
        #expect(a.count == 0)
        #expect(b.count == 400)
        #expect(b.value(forKey: 1) == "b1")
        try store.close()
    }

    @Test("the store's removeAll reaches tables that were not opened this time")
    func wholeStore() throws {
        let fixture = try StoreFixture()
        var store = try fixture.open()
        try store.table("a", keyedBy: Int.self, codec: .string).setValue("x", forKey: 1)
        try store.close()
        store = try fixture.open()
        try store.removeAll()
        #expect(try store.table("a", keyedBy: Int.self, codec: .string).value(forKey: 1) == nil)
        try store.flush()
        #expect(store.statistics.entries == 0)
        try store.close()
    }

    @Test("A80 closing right after clearing many records does not wait for their removal")
    func closeAfterClear() throws {
        let fixture = try StoreFixture()
        let cleared = Lock<Store?>(nil)
        let commits = Atomic<Int>(0)
        var store = try fixture.open(
            faults: StoreFaults(afterCommit: {
                guard let store = cleared.withLock({ $0 }) else { return }
                // Whatever comes after the first commit comes once the store is being closed.
                while store.core.queue.closeDeadline == nil { idle(for: .milliseconds(1)) }
                commits.add(1, ordering: .sequentiallyConsistent)
            })
        )
        var table = try fixture.numbers(store)
        for key in 0..<30_000 { try table.setValue(key, forKey: key, expiration: .seconds(1)) }
        try store.flush()
        fixture.clock.advance(by: .seconds(2))
        cleared.withLock { $0 = store }
        table.removeAll()
        try store.close()
        cleared.withLock { $0 = nil }
        // The removal takes seven at least.
        #expect(commits.load(ordering: .sequentiallyConsistent) <= 2)
        store = try fixture.open()
        table = try fixture.numbers(store)
        #expect(table.count == 0)
        try store.close()
    }
}
