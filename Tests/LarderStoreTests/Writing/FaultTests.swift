import Glibc
import LarderStore
import Synchronization
import TestSupport
import Testing
import Threading

struct FaultTests {
    /// Makes commits fail that concern certain keys, or all of them.
    private final class Faults: Sendable {
        let failing = Lock<Set<[UInt8]>>([])
        let failsAll = Atomic<Bool>(false)
        let result = Atomic<Int32>(EIO)

        var hooks: StoreFaults {
            StoreFaults(beforeCommit: { [self] keys in
                let isFailing =
                    failsAll.load(ordering: .relaxed)
                    || failing.withLock { failing in keys.contains(where: failing.contains) }
                return isFailing ? LMDBFault(result: result.load(ordering: .relaxed)) : nil
            })
        }

        func fail(_ keys: [Int]) {
            failing.withLock { $0 = Set(keys.map(\.storeKeyBytes)) }
        }
    }

    private final class Reports: Sendable {
        let list = Lock<[(StoreError, [UInt8])]>([])

        var events: StoreEvents {
            StoreEvents(onWriteError: { [self] error, key in list.withLock { $0.append((error, key)) } })
        }
    }

    @Test("A82 L36 of a failed batch only the culprit fails, and its failure reaches handler, statistics and flush")
    func culprit() throws {
        let (fixture, faults, reports) = (try StoreFixture(), Faults(), Reports())
        let store = try fixture.open(events: reports.events, faults: faults.hooks)
        let table = try fixture.numbers(store)
        for key in 0..<50 { try table.setValue(-key, forKey: key) }
        try store.flush()
        faults.fail([13])
        for key in 0..<50 { try table.setValue(key, forKey: key) }
        let error = #expect(throws: StoreError.self) { try store.flush() }
        #expect(error?.code == .storageFailed)
        try store.flush()
        // A19: the failed write's older value is not readable either.
        #expect(table.value(forKey: 13) == nil)
        for key in 0..<50 where key != 13 { #expect(table.value(forKey: key) == key) }
        #expect(store.statistics.writeFailures == 1)
        #expect(reports.list.withLock { $0.map(\.1) } == [13.storeKeyBytes])
        faults.fail([])
        try table.setValue(13, forKey: 13)
        try store.flush()
        #expect(table.value(forKey: 13) == 13)
        try store.close()
    }

    @Test("A77 L9 B74 a disk that is full fails writes, keeps reads, hides what it could not remove, and recovers")
    func fullDisk() throws {
        let (fixture, faults, reports) = (try StoreFixture(), Faults(), Reports())
        faults.result.store(ENOSPC, ordering: .relaxed)
        var store = try fixture.open(events: reports.events, faults: faults.hooks)
        var table = try fixture.numbers(store)
        for key in 0..<20 { try table.setValue(-1, forKey: key) }
        try store.flush()
        faults.failsAll.store(true, ordering: .relaxed)
        for round in 0..<100 {
            try table.setValue(round, forKey: round % 10)
            let error = #expect(throws: StoreError.self) { try store.flush() }
            #expect(error?.code == .noSpace)
        }
        table.removeValue(forKey: 10)
        #expect(throws: StoreError.self) { try store.flush() }
        for key in 0...10 { #expect(table.value(forKey: key) == nil) }
        for key in 11..<20 { #expect(table.value(forKey: key) == -1) }
        #expect(store.statistics.writeFailures == 101)

        faults.failsAll.store(false, ordering: .relaxed)
        try table.setValue(7, forKey: 7)
        try store.flush()
        #expect(table.value(forKey: 7) == 7)
        try store.close()
        // What was hidden is gone for good.
        store = try fixture.open()
        table = try fixture.numbers(store)
        for key in 0...10 { #expect(table.value(forKey: key) == (key == 7 ? 7 : nil)) }
        for key in 11..<20 { #expect(table.value(forKey: key) == -1) }
        try store.close()
    }

    @Test("A81 V75 a map without room is answered with eviction and another try, not with loss")
    func mapFull() throws {
        let fixture = try StoreFixture()
        let remaining = Atomic<Int>(1)
        let faults = StoreFaults(beforeCommit: { keys in
            guard !keys.isEmpty, remaining.load(ordering: .relaxed) > 0 else { return nil }
            remaining.subtract(1, ordering: .relaxed)
            return LMDBFault(result: -30792)
        })
        let store = try fixture.open(faults: faults)
        let table = try fixture.numbers(store)
        try table.setValue(1, forKey: 1)
        try store.flush()
        #expect(table.value(forKey: 1) == 1)
        #expect(store.statistics.writeFailures == 0)
        try store.close()
    }

    @Test("a removeAll whose commit fails is in effect all the same once a later one succeeds")
    func failedClear() throws {
        let (fixture, faults) = (try StoreFixture(), Faults())
        var store = try fixture.open(faults: faults.hooks)
        var table = try fixture.numbers(store)
        try table.setValue(1, forKey: 1)
        try store.flush()
        faults.failsAll.store(true, ordering: .relaxed)
        table.removeAll()
        #expect(throws: StoreError.self) { try store.flush() }
        #expect(table.value(forKey: 1) == nil)
        faults.failsAll.store(false, ordering: .relaxed)
        try table.setValue(2, forKey: 2)
        try store.close()
        store = try fixture.open()
        table = try fixture.numbers(store)
        #expect(table.value(forKey: 1) == nil)
        #expect(table.value(forKey: 2) == 2)
        try store.close()
    }

    @Test("an error handler may write, but not wait for its own thread")
    func handler() throws {
        let (fixture, faults) = (try StoreFixture(), Faults())
        let codes = Lock<[StoreError.Code]>([])
        let holder = Lock<Store?>(nil)
        var configuration = StoreFixture.configuration()
        configuration.queue.bytes = 4096
        let events = StoreEvents(onWriteError: { _, _ in
            guard let store = holder.withLock({ $0 }) else { return }
            for key in 100..<200 {
                try? store.table("numbers", keyedBy: Int.self, codec: ValueCodec<Int>.integer).setValue(1, forKey: key)
            }
            do throws(StoreError) { try store.flush() } catch { codes.withLock { $0.append(error.code) } }
            do throws(StoreError) { try store.close() } catch { codes.withLock { $0.append(error.code) } }
        })
        let store = try fixture.open(configuration, events: events, faults: faults.hooks)
        holder.withLock { $0 = store }
        let table = try fixture.numbers(store)
        faults.fail([1])
        try table.setValue(1, forKey: 1)
        #expect(throws: StoreError.self) { try store.flush() }
        try store.flush()
        #expect(codes.withLock { $0 } == [.calledFromErrorHandler, .calledFromErrorHandler])
        try store.flush()
        #expect(table.value(forKey: 199) == 1)
        holder.withLock { $0 = nil }
        try store.close()
    }
}
