import LarderStore
import TestSupport
import Testing
import Threading

/// What shows of packs through a whole store.
struct PackedStoreTests {
    /// Holds the commit of one key, so that everything queued meanwhile is committed together.
    private final class Hold: Sendable {
        private static let key = -1_000_000

        private let state = Lock((isWaiting: false, isOpen: false))

        var faults: StoreFaults {
            StoreFaults(beforeCommit: { [self] keys in
                // Safety: the bytes are copied while the span lives.
                let held = Self.key.withStoreKeyBytes { bytes in unsafe bytes.withUnsafeBytes { unsafe Array($0) } }
                guard keys.contains(held) else { return nil }
                state.withLock { $0.isWaiting = true }
                state.notifyAll()
                state.wait(until: { $0.isOpen }) { _, _ in }
                return nil
            })
        }

        /// Commits everything that `body` queues in one transaction.
        func together(_ table: StoreTable<Int, [UInt8]>, _ body: () throws -> Void) throws {
            state.withLock { $0 = (isWaiting: false, isOpen: false) }
            try table.setValue([], forKey: Self.key)
            state.wait(until: { $0.isWaiting }) { _, _ in }
            try body()
            state.withLock { $0.isOpen = true }
            state.notifyAll()
            try table.store.flush()
        }
    }

    @Test("L55 one damaged record of a pack is a miss, counted and removed, and its neighbours stay")
    func damage() throws {
        let fixture = try StoreFixture()
        var store = try fixture.open()
        var table = try fixture.bytes(store)
        func value(_ key: Int) -> [UInt8] { Array("value \(key) ".utf8) + pattern(key, count: 1_000) }
        for key in 0..<100 { try table.setValue(value(key), forKey: "key \(key)") }
        try store.close()
        let path = "\(fixture.path)/data.mdb"
        let bytes = try #require(Files.read(path))
        for place in bytes.ranges(of: Array("key 50value 50 ".utf8)).map(\.lowerBound) {
            #expect(Files.overwrite(path, at: place + 8, with: [bytes[place + 8] ^ 4]))
        }

        store = try fixture.open()
        #expect(store.recovery == nil)
        table = try fixture.bytes(store)
        #expect(table.value(forKey: "key 50") == nil)
        try store.flush()
        #expect(store.statistics.damaged == 1)
        #expect(table.count == 99)
        for key in 0..<100 where key != 50 { #expect(table.value(forKey: "key \(key)") == value(key)) }
        try table.setValue([1], forKey: "key 50")
        for key in 0..<49 { table.removeValue(forKey: "key \(key)") }
        try store.flush()
        #expect(table.value(forKey: "key 50") == [1])
        for key in 51..<100 { #expect(table.value(forKey: "key \(key)") == value(key)) }
        #expect(store.statistics.damaged == 1)
        try store.close()
        #expect(try Store.verify(at: fixture.path).findings == [])
    }

    @Test("V22 a table cleared in the transaction that wrote its records loses those before, not those after")
    func clearedTogether() throws {
        let (fixture, hold) = (try StoreFixture(), Hold())
        var store = try fixture.open(faults: hold.faults)
        var table = try fixture.numbersToBytes(store)
        try hold.together(table) {
            for key in 0..<50 { try table.setValue(pattern(key, count: 500), forKey: key) }
            table.removeAll()
            for key in 40..<60 { try table.setValue(pattern(-key, count: 500), forKey: key) }
        }
        #expect(store.statistics.commits <= 5)
        #expect(table.count == 20)
        try store.close()
        #expect(try Store.verify(at: fixture.path).findings == [])
        store = try fixture.open()
        table = try fixture.numbersToBytes(store)
        for key in 0..<60 { #expect(table.value(forKey: key) == (key < 40 ? nil : pattern(-key, count: 500))) }
        try store.close()
    }

    @Test("L43 what one commit leaves mostly dead gives its space back in the background")
    func cleanedLater() async throws {
        let (fixture, hold) = (try StoreFixture(), Hold())
        let store = try fixture.open(faults: hold.faults)
        let table = try fixture.numbersToBytes(store)
        // Packs as full as they get: of a smaller one a page may be left with half a record's bytes in it.
        try hold.together(table) {
            for key in 0..<3_600 { try table.setValue(pattern(key, count: 3_000), forKey: key) }
        }
        try hold.together(table) {
            for key in 0..<3_600 where key % 5 > 1 { table.removeValue(forKey: key) }
        }
        #expect(table.count == 1_441)
        // More than one commit may move lives on; in leaves of half and three quarter pages.
        #expect(store.statistics.liveBytes > 4 << 20)
        #expect(await eventually { store.statistics.usedBytes < store.statistics.liveBytes * 3 / 2 })
        for key in 0..<3_600 {
            #expect(table.value(forKey: key) == (key % 5 > 1 ? nil : pattern(key, count: 3_000)))
        }
        try store.close()
        #expect(try Store.verify(at: fixture.path).findings == [])
    }
}
