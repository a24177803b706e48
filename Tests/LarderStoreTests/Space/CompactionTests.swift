import LarderStore
import Synchronization
import TestSupport
import Testing
import Threading

struct CompactionTests {
    private static func fill(_ table: StoreTable<Int, [UInt8]>, _ keys: Range<Int>, size: Int = 2_000) throws {
        for key in keys { try table.setValue(pattern(key, count: size), forKey: key) }
        try table.store.flush()
    }

    /// A store of which nine tenths of the records are gone.
    private static func sparse(_ fixture: StoreFixture, _ store: Store) throws -> StoreTable<Int, [UInt8]> {
        let table = try fixture.numbersToBytes(store)
        try fill(table, 0..<4_000)
        for key in 0..<4_000 where key % 10 > 0 { table.removeValue(forKey: key) }
        try store.flush()
        return table
    }

    @Test("L43 compaction shrinks the file to what is used and keeps every record")
    func shrinks() throws {
        let fixture = try StoreFixture()
        var store = try fixture.open()
        var table = try Self.sparse(fixture, store)
        try table.setValue(pattern(7, count: 500_000), forKey: -1)
        try table.setValue([9], forKey: -2, cost: 5, expiration: .seconds(60))
        let before = store.statistics
        try store.compact()
        for _ in 0..<2 {
            let after = store.statistics
            #expect(after.fileBytes < before.fileBytes / 4)
            #expect(after.fileBytes < after.usedBytes * 5 / 4 + (128 << 10))
            #expect(after.entries == 402)
            for key in stride(from: 0, to: 4_000, by: 10) {
                #expect(table.value(forKey: key) == pattern(key, count: 2_000))
            }
            #expect(table.value(forKey: 1) == nil)
            #expect(table.value(forKey: -1) == pattern(7, count: 500_000))
            #expect(table.record(forKey: -2)?.cost == 5)
            try Self.fill(table, 1..<2)
            table.removeValue(forKey: 1)
            try store.close()
            #expect(try Store.verify(at: fixture.path).findings == [])
            store = try fixture.open()
            #expect(store.recovery == nil)
            table = try fixture.numbersToBytes(store)
        }
        fixture.clock.advance(by: .seconds(61))
        try store.removeExpired()
        #expect(store.statistics.entries == 401)
        try store.close()
    }

    @Test("reads and writes go on while the store moves to another file")
    func concurrent() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let table = try fixture.numbersToBytes(store)
        try Self.fill(table, 0..<500)
        let isDone = Atomic(false)
        let misses = Atomic(0)
        let reads = Atomic(0)
        let readers = try (0..<2).map { _ in
            try OSThread {
                var key = 0
                while !isDone.load(ordering: .relaxed) {
                    if table.value(forKey: key) != pattern(key, count: 2_000) { misses.add(1, ordering: .relaxed) }
                    reads.add(1, ordering: .relaxed)
                    key = (key + 1) % 500
                }
            }
        }
        for round in 0..<8 {
            try Self.fill(table, (500 + round * 100)..<(600 + round * 100))
            try table.setValue([UInt8(round)], forKey: -1)
            try store.compact()
            #expect(table.value(forKey: -1) == [UInt8(round)])
        }
        isDone.store(true, ordering: .relaxed)
        for reader in readers { reader.join() }
        #expect(misses.load(ordering: .relaxed) == 0)
        #expect(reads.load(ordering: .relaxed) > 0)
        #expect(store.statistics.compactions == 8)
        #expect(table.count == 1_301)
        try store.close()
        #expect(try Store.verify(at: fixture.path).findings == [])
    }

    @Test("L47 a compaction that cannot be done says why, and the store goes on in its old file")
    func refused() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let table = try Self.sparse(fixture, store)
        // Something in the place of the copy's directory that is not ours to remove.
        #expect(Files.makeDirectory("\(fixture.path)/compaction"))
        #expect(Files.makeDirectory("\(fixture.path)/compaction/mine"))
        let error = #expect(throws: StoreError.self) { try store.compact() }
        #expect(error?.message.contains("compaction") == true)
        #expect(store.statistics.compactions == 0)
        #expect(table.value(forKey: 10) == pattern(10, count: 2_000))
        try table.setValue([1], forKey: 1)
        try store.flush()
        #expect(table.value(forKey: 1) == [1])
        try store.close()
    }

    @Test("what a compaction cut short has left is removed by the next opening")
    func leftovers() throws {
        let fixture = try StoreFixture()
        var store = try fixture.open()
        try Self.fill(try fixture.numbersToBytes(store), 0..<10)
        try store.close()
        #expect(Files.makeDirectory("\(fixture.path)/compaction"))
        #expect(Files.create("\(fixture.path)/compaction/data.mdb", [1, 2, 3]))
        store = try fixture.open()
        #expect(Files.size("\(fixture.path)/compaction/data.mdb") == nil)
        #expect(try fixture.numbersToBytes(store).count == 10)
        try store.close()
    }

    @Test("opening makes a mostly empty file small, after a clean end only", arguments: [true, false])
    func atOpen(isClean: Bool) throws {
        let fixture = try StoreFixture()
        // One page that stays, three that go, each written by itself: no run is worth a hole.
        var configuration = StoreFixture.configuration()
        configuration.queue.maxBatchOperations = 1
        var store = try fixture.open(configuration)
        var table = try fixture.numbersToBytes(store)
        let (kept, removed) = (pattern(1, count: 4_000), pattern(2, count: 11_000))
        for key in 0..<6_400 { try table.setValue(key % 2 == 0 ? kept : removed, forKey: key) }
        try store.flush()
        for key in stride(from: 1, to: 6_400, by: 2) { table.removeValue(forKey: key) }
        try store.close()
        let before = try #require(Files.size("\(fixture.path)/data.mdb"))
        if !isClean { #expect(Files.replace("clean 1", with: "clean 0", in: "\(fixture.path)/STATE")) }

        store = try fixture.open()
        table = try fixture.numbersToBytes(store)
        try table.setValue([1], forKey: -1)
        try store.flush()
        #expect(store.statistics.compactions == (isClean ? 1 : 0))
        #expect(store.statistics.fileBytes < before / 3 || !isClean)
        for key in stride(from: 0, to: 6_400, by: 64) { #expect(table.value(forKey: key) == kept) }
        #expect(table.count == 3_201)
        try store.close()
        #expect(try Store.verify(at: fixture.path).findings == [])
    }

    @Test("closing while a store is compacted ends soon and loses nothing")
    func closing() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let table = try fixture.numbersToBytes(store)
        try Self.fill(table, 0..<3_000)
        let compacting = try OSThread { try? store.compact() }
        try store.close()
        compacting.join()
        let reopened = try fixture.open()
        #expect(reopened.recovery == nil)
        #expect(try fixture.numbersToBytes(reopened).count == 3_000)
        try reopened.close()
        #expect(try Store.verify(at: fixture.path).findings == [])
    }
}
