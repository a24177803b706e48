import LarderStore
import TestSupport
import Testing

struct HoleTests {
    private static func fill(_ table: StoreTable<Int, [UInt8]>, _ count: Int, size: Int) throws {
        for key in 0..<count { try table.setValue(pattern(key, count: size), forKey: key) }
        try table.store.flush()
    }

    @Test(
        "L43 after removeAll and trim less than a tenth of the space is left",
        arguments: [100, 1_500, 20_000, 600_000]
    )
    func clearAndTrim(size: Int) throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let table = try fixture.numbersToBytes(store)
        try Self.fill(table, max(12_000_000 / (size + 900), 12), size: size)
        let before = store.statistics
        #expect(before.allocatedBytes > 3 << 20)
        try store.removeAll()
        try store.trim(toBytes: .mebibytes(64))
        let after = store.statistics
        #expect(
            after.allocatedBytes < before.allocatedBytes / 10,
            "\(after.allocatedBytes) of \(before.allocatedBytes)"
        )
        #expect(after.usedBytes < before.usedBytes / 10)
        #expect(after.returnedBytes > 0)
        #expect(after.fileBytes >= before.fileBytes)

        try table.setValue(pattern(1, count: size), forKey: 1)
        #expect(table.value(forKey: 1) == pattern(1, count: size))
        try store.close()
        #expect(try Store.verify(at: fixture.path).findings == [])
    }

    @Test("L43 space is given back by itself once the writer has a moment")
    func byItself() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let table = try fixture.numbersToBytes(store)
        try Self.fill(table, 4_000, size: 3_000)
        let before = store.statistics.allocatedBytes
        try store.removeAll()
        try await store.flush()
        #expect(await eventually { store.statistics.allocatedBytes < before / 10 })
        try store.close()
    }

    @Test("holes are punched only where nothing is: whatever is left reads back, also after more writes")
    func nothingIsLost() throws {
        let fixture = try StoreFixture()
        var store = try fixture.open()
        var table = try fixture.numbersToBytes(store)
        var random = SeededRandom(seed: 43)
        var model: [Int: Int] = [:]
        var returned: UInt64 = 0
        for round in 0..<12 {
            for _ in 0..<300 {
                let (key, size) = (Int.random(in: 0..<500, using: &random), Int.random(in: 0..<9_000, using: &random))
                try table.setValue(pattern(key &+ size, count: size), forKey: key)
                model[key] = size
            }
            let first = Int.random(in: 0..<500, using: &random)
            for key in first..<(first + 300) {
                table.removeValue(forKey: key % 500)
                model[key % 500] = nil
            }
            try store.flush()
            try store.trim(toBytes: .mebibytes(64))
            for (key, size) in model { #expect(table.value(forKey: key) == pattern(key &+ size, count: size)) }
            returned += store.statistics.returnedBytes
            guard round % 4 == 3 else { continue }
            try store.close()
            #expect(try Store.verify(at: fixture.path).findings == [])
            store = try fixture.open()
            table = try fixture.numbersToBytes(store)
        }
        #expect(returned > 0)
        #expect(table.count == model.count)
        try store.close()
    }

    @Test("L42 a hundred thousand overwrites of one key leave the file small")
    func overwrites() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let table = try fixture.bytes(store)
        let values = (0..<8).map { pattern($0, count: 3_000) }
        for round in 0..<100_000 {
            try table.setValue(values[round % 8], forKey: "k")
            if round % 100 == 0 { try store.flush() }
        }
        try store.flush()
        #expect(store.statistics.fileBytes < 1 << 20)
        #expect(store.statistics.entries == 1)
        try store.close()
    }

    @Test("L30 clearing a store that is full to its budget frees nearly all of it")
    func clearFull() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open(StoreFixture.configuration(budget: .mebibytes(4)))
        let table = try fixture.numbersToBytes(store)
        try Self.fill(table, 6_000, size: 1_000)
        #expect(store.statistics.usedBytes > 3 << 20)
        table.removeAll()
        try store.trim(toBytes: .mebibytes(4))
        #expect(store.statistics.usedBytes < 128 << 10)
        #expect(store.statistics.writeFailures == 0)
        try Self.fill(table, 500, size: 1_000)
        #expect(table.count == 500)
        try store.close()
    }
}
