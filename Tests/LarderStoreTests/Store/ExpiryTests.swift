import LarderStore
import TestSupport
import Testing

struct ExpiryTests {
    @Test("A48 an expired record is a miss at once, queued or stored, and is not enumerated")
    func expired() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let table = try fixture.numbers(store)
        try table.setValue(1, forKey: 1, expiration: .seconds(1))
        #expect(table.value(forKey: 1) == 1)
        fixture.clock.advance(by: .seconds(1))
        #expect(table.value(forKey: 1) == nil)
        try store.flush()
        #expect(table.value(forKey: 1) == nil)
        #expect(!table.contains(1))
        #expect(table.keys().isEmpty)
        try store.close()
    }

    @Test("A50 A55 removeExpired removes what has expired, and only that, in every slice")
    func removeExpired() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let table = try fixture.numbers(store)
        for key in 0..<1_000 { try table.setValue(key, forKey: key, expiration: .seconds(key < 700 ? 5 : 50)) }
        for key in 1_000..<1_100 { try table.setValue(key, forKey: key) }
        try store.removeExpired()
        #expect(table.count == 1_100)
        fixture.clock.advance(by: .seconds(6))
        try store.removeExpired()
        #expect(table.count == 400)
        #expect(store.statistics.expired == 700)
        #expect(Set(table.keys()) == Set(700..<1_100))
        try store.close()
    }

    @Test("V57 a record written again is not taken for its expired predecessor")
    func rewritten() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let table = try fixture.numbers(store)
        try table.setValue(1, forKey: 1, expiration: .seconds(1))
        try store.flush()
        try table.setValue(2, forKey: 1, expiration: .seconds(10))
        fixture.clock.advance(by: .seconds(2))
        try store.removeExpired()
        #expect(table.value(forKey: 1) == 2)
        try store.close()
    }

    @Test("A57 a record from the future has age zero, lives as long as it was to live, and is not immortal")
    func clockSetBack() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let table = try fixture.numbers(store)
        try table.setValue(1, forKey: 1, expiration: .seconds(100))
        try store.flush()
        fixture.clock.advance(by: .seconds(-3600))
        let record = try #require(table.record(forKey: 1))
        #expect(record.created == fixture.clock.now)
        #expect(record.expires == fixture.clock.now + .seconds(100))
        try store.flush()
        fixture.clock.advance(by: .seconds(99))
        #expect(table.value(forKey: 1) == 1)
        fixture.clock.advance(by: .seconds(2))
        #expect(table.value(forKey: 1) == nil)
        try store.close()
    }

    @Test("A59 never is never, and a life of zero or less is over")
    func extremes() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let table = try fixture.numbers(store)
        try table.setValue(1, forKey: 1)
        try table.setValue(2, forKey: 2, expiration: .zero)
        try table.setValue(3, forKey: 3, expiration: .seconds(-5))
        try table.setValue(4, forKey: 4, expiration: .seconds(Int64.max))
        try store.flush()
        fixture.clock.advance(by: .seconds(100 * 365 * 86_400))
        #expect(table.value(forKey: 1) == 1)
        #expect(table.value(forKey: 2) == nil)
        #expect(table.value(forKey: 3) == nil)
        #expect(table.value(forKey: 4) == 4)
        try store.close()
    }

    @Test("A53 the writer sweeps by itself when nobody calls")
    func sweep() async throws {
        let fixture = try StoreFixture()
        var configuration = StoreFixture.configuration()
        configuration.expiryInterval = .milliseconds(20)
        let store = try fixture.open(configuration)
        let table = try fixture.numbers(store)
        for key in 0..<600 { try table.setValue(key, forKey: key, expiration: .seconds(1)) }
        try await store.flush()
        fixture.clock.advance(by: .seconds(2))
        #expect(await eventually { table.count == 0 })
        try store.close()
    }

    @Test("expiry goes on over a reopening")
    func reopened() throws {
        let fixture = try StoreFixture()
        var store = try fixture.open()
        var table = try fixture.numbers(store)
        try table.setValue(1, forKey: 1, expiration: .seconds(10))
        try table.setValue(2, forKey: 2, expiration: .seconds(20))
        try store.close()
        fixture.clock.advance(by: .seconds(15))
        store = try fixture.open()
        table = try fixture.numbers(store)
        #expect(table.value(forKey: 1) == nil)
        #expect(table.value(forKey: 2) == 2)
        try store.removeExpired()
        #expect(table.count == 1)
        try store.close()
    }
}
