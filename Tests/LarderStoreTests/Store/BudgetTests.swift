import LarderStore
import TestSupport
import Testing

struct BudgetTests {
    @Test(
        "A33 V41 V48 the pages in use never exceed the budget after a commit",
        arguments: [100, 1_500, 5_000, 60_000]
    )
    func holds(size: Int) throws {
        let fixture = try StoreFixture()
        let budget = ByteCount.mebibytes(2)
        let store = try fixture.open(StoreFixture.configuration(budget: budget))
        let table = try fixture.numbersToBytes(store)
        let count = 8 * budget.bytes / (size + 100)
        for key in 0..<count {
            try table.setValue(pattern(key, count: size), forKey: key)
            if key % 97 == 0 {
                try store.flush()
                #expect(store.statistics.usedBytes <= budget.bytes)
            }
        }
        try store.flush()
        let statistics = store.statistics
        #expect(statistics.usedBytes <= budget.bytes)
        #expect(statistics.usedBytes > budget.bytes / 2)
        #expect(statistics.evicted > 0)
        // A35: what was written last stays.
        for key in (count - 5)..<count { #expect(table.value(forKey: key) == pattern(key, count: size)) }
        #expect(table.value(forKey: 0) == nil)
        #expect(statistics.entries == table.keys().count)
        try store.close()
    }

    @Test("L31 random writes and removals at a full budget never run out of map")
    func churn() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open(StoreFixture.configuration(budget: .mebibytes(1)))
        let table = try fixture.numbersToBytes(store)
        var random = SeededRandom(seed: 31)
        for _ in 0..<20_000 {
            let key = Int.random(in: 0..<3_000, using: &random)
            if Bool.random(using: &random) || key % 3 > 0 {
                try table.setValue(pattern(key, count: key % 900), forKey: key)
            } else {
                table.removeValue(forKey: key)
            }
        }
        try store.flush()
        #expect(store.statistics.writeFailures == 0)
        #expect(store.statistics.usedBytes <= 1 << 20)
        #expect(store.statistics.fileBytes < 8 << 20)
        try store.close()
    }

    @Test("a record that was read gets a second chance")
    func secondChance() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open(StoreFixture.configuration(budget: .mebibytes(1)))
        let table = try fixture.numbersToBytes(store)
        for key in 0..<200 { try table.setValue(pattern(key, count: 1_000), forKey: key) }
        try store.flush()
        for round in 0..<40 {
            for key in 0..<5 { #expect(table.value(forKey: key) == pattern(key, count: 1_000), "round \(round)") }
            for key in 0..<50 {
                try table.setValue(pattern(key, count: 1_000), forKey: 1_000 + round * 50 + key)
            }
            try store.flush()
        }
        #expect(table.value(forKey: 100) == nil)
        // Not read any more, they go like all others.
        for key in 0..<2_000 { try table.setValue(pattern(key, count: 1_000), forKey: 10_000 + key) }
        try store.flush()
        for key in 0..<5 { #expect(table.value(forKey: key) == nil) }
        try store.close()
    }

    @Test("A74 reads never write")
    func readsDoNotWrite() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let table = try fixture.numbers(store)
        for key in 0..<100 { try table.setValue(key, forKey: key) }
        try store.flush()
        let commits = store.statistics.commits
        for round in 0..<10_000 { #expect(table.value(forKey: round % 200) == (round % 200 < 100 ? round % 200 : nil)) }
        try store.flush()
        #expect(store.statistics.commits == commits)
        #expect(store.statistics.hits == 5_000)
        #expect(store.statistics.misses == 5_000)
        try store.close()
    }

    @Test("A34 the budget of the opening counts from the start, and a lower one evicts")
    func reopenedWithOther() throws {
        let fixture = try StoreFixture()
        var store = try fixture.open(StoreFixture.configuration(budget: .mebibytes(16)))
        var table = try fixture.numbersToBytes(store)
        for key in 0..<1_000 { try table.setValue(pattern(key, count: 8_000), forKey: key) }
        try store.close()

        store = try fixture.open(StoreFixture.configuration(budget: .mebibytes(16)))
        table = try fixture.numbersToBytes(store)
        #expect(table.count == 1_000)
        try store.close()

        store = try fixture.open(StoreFixture.configuration(budget: .mebibytes(2)))
        table = try fixture.numbersToBytes(store)
        try table.setValue([1], forKey: -1)
        try store.flush()
        #expect(store.statistics.usedBytes <= 2 << 20)
        #expect(table.value(forKey: 999) == pattern(999, count: 8_000))
        #expect(table.value(forKey: 0) == nil)
        try store.close()
    }

    @Test("trim gets down to what is asked, the oldest first")
    func trim() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let table = try fixture.numbersToBytes(store)
        for key in 0..<500 { try table.setValue(pattern(key, count: 4_000), forKey: key) }
        try store.trim(toBytes: .kibibytes(400))
        #expect(store.statistics.usedBytes <= 400 << 10)
        #expect(table.value(forKey: 499) == pattern(499, count: 4_000))
        #expect(table.value(forKey: 0) == nil)
        try store.trim(toBytes: 0)
        #expect(table.count == 0)
        #expect(store.statistics.entries == 0)
        try store.close()
    }

    @Test("eviction of records with keys longer than a piece finds their whole key")
    func longKeys() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open(StoreFixture.configuration(budget: .mebibytes(16)))
        let table = try store.table("k", keyedBy: [UInt8].self, codec: .bytes)
        for key in 0..<60 { try table.setValue(pattern(key, count: 200_000), forKey: pattern(key, count: 400_000)) }
        try store.flush()
        #expect(store.statistics.usedBytes <= 16 << 20)
        #expect(store.statistics.entries == table.keys().count)
        #expect(table.value(forKey: pattern(59, count: 400_000)) == pattern(59, count: 200_000))
        try store.trim(toBytes: 0)
        #expect(store.statistics.entries == 0)
        #expect(store.statistics.damaged == 0)
        try store.close()
    }
}

extension StoreFixture {
    func numbersToBytes(_ store: Store) throws -> StoreTable<Int, [UInt8]> {
        try store.table("numbersToBytes", keyedBy: Int.self, codec: .bytes)
    }
}
