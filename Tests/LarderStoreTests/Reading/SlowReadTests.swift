import Synchronization
import TestSupport
import Testing
import Threading

@testable import LarderStore

struct SlowReadTests {
    private static let second: UInt64 = 1_000_000_000

    @Test("a read is reported once it is too old, once, and forgotten when it ends")
    func watch() {
        var watch = ReaderWatch()
        func look(_ active: [Int: UInt64], at seconds: Double) -> ReaderWatch.Finding? {
            watch.look({ active }, now: UInt64(seconds * Double(Self.second)), limit: .seconds(1))
        }
        #expect(look([:], at: 10) == ReaderWatch.Finding())
        #expect(watch.due == .never)
        // Too soon to look again.
        #expect(look([0: 5], at: 10.125) == nil)
        #expect(look([0: 5], at: 10.5) == ReaderWatch.Finding())
        #expect(watch.due != .never)
        #expect(look([0: 5, 1: 9], at: 11) == ReaderWatch.Finding(oldest: .milliseconds(500)))
        let late = ReaderWatch.Finding(oldest: .milliseconds(1_500), late: [.milliseconds(1_500)])
        #expect(look([0: 5, 1: 13], at: 12) == late)
        #expect(
            look([0: 5, 1: 13], at: 13.5) == ReaderWatch.Finding(oldest: .seconds(3), late: [.milliseconds(1_500)])
        )
        // Another read in the same place is a new one.
        #expect(look([0: 9], at: 14) == ReaderWatch.Finding())
        #expect(look([:], at: 20) == ReaderWatch.Finding())
        #expect(watch.due == .never)
        #expect(watch.look({ [0: 1] }, now: 30 * Self.second, limit: .zero) == nil)
    }

    @Test("L40 a read parked for seconds holds no writer up, lets the file grow, and is reported")
    func parked() throws {
        let fixture = try StoreFixture()
        let now = Atomic<UInt64>(Self.second)
        let reports = Lock<[Duration]>([])
        let store = try fixture.open(
            events: StoreEvents(onSlowRead: { age in reports.withLock { $0.append(age) } }),
            faults: StoreFaults(monotonicNanoseconds: { now.load(ordering: .relaxed) })
        )
        let table = try fixture.numbersToBytes(store)
        func round(_ number: Int) throws {
            for key in 0..<100 { try table.setValue(pattern(key + number, count: 3_000), forKey: key) }
            try store.flush()
        }
        for number in 0..<10 { try round(number) }
        let before = store.statistics
        #expect(before.oldestReaderAge == .zero)
        let reader = try #require(ParkedReader(store))
        // A flush that waited for the read would not return.
        for number in 10..<50 {
            now.add(Self.second / 10, ordering: .relaxed)
            try round(number)
            for key in 0..<100 { #expect(table.value(forKey: key) == pattern(key + number, count: 3_000)) }
        }
        let during = store.statistics
        #expect(during.oldestReaderAge > .seconds(2))
        #expect(during.slowReads == 1)
        #expect(during.fileBytes > 3 * before.fileBytes)
        let ages = reports.withLock { $0 }
        #expect(ages.count == 1)
        #expect(ages.allSatisfy { $0 > .seconds(1) && $0 < .seconds(2) })
        reader.leave()
        now.add(Self.second, ordering: .relaxed)
        for number in 50..<60 { try round(number) }
        let after = store.statistics
        #expect(after.oldestReaderAge == .zero)
        for number in 60..<100 { try round(number) }
        #expect(store.statistics.fileBytes == after.fileBytes)
        #expect(reports.withLock { $0.count } == 1)
        try store.close()
    }
}
