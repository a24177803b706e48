import LarderStore
import TestSupport
import Testing

struct ValueTests {
    private static let sizes = [
        0, 1, 16, 1957, 1958, 2014, 2015, 4080, 4081, 65_520, 65_521, 262_000, 262_144, 262_145, 300_000, 1 << 20,
        3 << 20,
    ]

    @Test("L53 values around every step of the page layout come back, also after reopening")
    func sizes() throws {
        let fixture = try StoreFixture()
        var store = try fixture.open()
        var table = try fixture.bytes(store)
        for size in Self.sizes { try table.setValue(pattern(size, count: size), forKey: "\(size)") }
        for size in Self.sizes { #expect(table.value(forKey: "\(size)") == pattern(size, count: size)) }
        try store.flush()
        for size in Self.sizes { #expect(table.value(forKey: "\(size)") == pattern(size, count: size)) }
        try store.close()

        store = try fixture.open()
        #expect(store.recovery == nil)
        table = try fixture.bytes(store)
        for size in Self.sizes { #expect(table.value(forKey: "\(size)") == pattern(size, count: size)) }
        for size in Self.sizes { table.removeValue(forKey: "\(size)") }
        try store.flush()
        #expect(store.statistics.entries == 0)
        #expect(store.statistics.liveBytes == 0)
        #expect(store.statistics.usedBytes < 1 << 20)
        try store.close()
    }

    @Test("L52 V47 A19 a value above the limit is refused with its size, counted, and the older one is gone")
    func tooLarge() throws {
        let fixture = try StoreFixture()
        var configuration = StoreFixture.configuration()
        configuration.maxValueBytes = 100
        let store = try fixture.open(configuration)
        let table = try fixture.bytes(store)
        try table.setValue(pattern(1, count: 99), forKey: "k")
        try store.flush()
        let error = #expect(throws: StoreError.self) { try table.setValue(pattern(1, count: 100), forKey: "k") }
        #expect(error?.code == .valueTooLarge)
        #expect(error?.message.contains("101 bytes") == true)
        #expect(table.value(forKey: "k") == nil)
        try store.flush()
        #expect(table.value(forKey: "k") == nil)
        #expect(store.statistics.rejectedTooLarge == 1)
        try store.close()
    }

    @Test("A24 A25 a value written again and again takes the space of one")
    func overwriting() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let table = try fixture.bytes(store)
        for round in 0..<10 {
            try table.setValue(pattern(round, count: 3 << 20), forKey: "k")
            try store.flush()
            #expect(store.statistics.liveBytes == 64 + 1 + 3 << 20)
            #expect(store.statistics.usedBytes < 4 << 20)
        }
        try store.close()
    }

    @Test("L42 rewriting one key does not grow the file")
    func rewriting() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let table = try fixture.bytes(store)
        for round in 0..<2_000 {
            try table.setValue(pattern(round, count: 3_000), forKey: "k")
            if round % 10 == 0 { try store.flush() }
        }
        try store.flush()
        #expect(store.statistics.fileBytes < 1 << 20)
        try store.close()
    }

    @Test("L7 a value outlives its record and its store")
    func valuesAreCopies() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let table = try fixture.bytes(store)
        try table.setValue(pattern(5, count: 100_000), forKey: "k")
        try store.flush()
        let value = try #require(table.value(forKey: "k"))
        table.removeAll()
        try store.close()
        #expect(value == pattern(5, count: 100_000))
    }

    @Test("cost, creation, life and size come back with the value")
    func record() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let table = try fixture.bytes(store)
        try table.setValue([1, 2, 3], forKey: "k", cost: 77, expiration: .seconds(10))
        try table.setValue([1, 2, 3], forKey: "plain")
        for isFlushed in [false, true] {
            if isFlushed { try store.flush() }
            let record = try #require(table.record(forKey: "k"))
            #expect(record.cost == 77)
            #expect(record.created == fixture.clock.now)
            #expect(record.expires == fixture.clock.now + .seconds(10))
            #expect(record.storedBytes == 64 + 1 + 3)
            let plain = try #require(table.record(forKey: "plain"))
            #expect(plain.cost == 3)
            #expect(plain.expires == nil)
        }
        try store.close()
    }
}
