import TestSupport
import Testing

@testable import LarderStore

struct GrowthTests {
    @Test("commits that append little have room made for them, once it runs short")
    func schedule() {
        var growth = GrowthSchedule()
        let (page, step) = (4096, GrowthSchedule.step)
        // What there is at first says nothing of how fast it grows.
        #expect(growth.note(highWater: 10 * page, fileBytes: 10 * page) == nil)
        #expect(growth.note(highWater: 10 * page, fileBytes: 10 * page) == nil)
        #expect(growth.note(highWater: 14 * page, fileBytes: 14 * page) == 14 * page + step)
        #expect(growth.note(highWater: 18 * page, fileBytes: 14 * page + step) == nil)
        #expect(growth.note(highWater: 14 * page + step, fileBytes: 14 * page + step) == nil)
        #expect(growth.note(highWater: 15 * page + step, fileBytes: 17 * page + step) == nil)
        #expect(growth.note(highWater: 16 * page + step, fileBytes: 17 * page + step) == 16 * page + 2 * step)
        // A compacted file takes its place.
        #expect(growth.note(highWater: 8 * page, fileBytes: 8 * page) == nil)
    }

    @Test("commits that append much, or nothing, have none made")
    func streams() {
        var growth = GrowthSchedule()
        for number in 0..<10 {
            let bytes = number * (GrowthSchedule.little + 4096)
            #expect(growth.note(highWater: bytes, fileBytes: bytes) == nil)
            #expect(growth.note(highWater: bytes, fileBytes: bytes) == nil)
        }
    }

    @Test("L38 with every commit synced the file grows in steps, else as it is filled", arguments: Durability.allCases)
    func steps(durability: Durability) throws {
        let fixture = try StoreFixture()
        let configuration = StoreConfiguration(durability: durability, expiryInterval: .zero)
        var store = try fixture.open(configuration)
        var table = try fixture.numbersToBytes(store)
        var sizes: Set<Int> = []
        for key in 0..<200 {
            try table.setValue(pattern(key, count: 3_500), forKey: key)
            try store.flush()
            sizes.insert(store.statistics.fileBytes)
        }
        let isSynced = durability == .strict || durability == .commit
        #expect(isSynced ? sizes.count < 10 : sizes.count > 100)
        // What pages of older commits take comes on top; checkpoints keep many of them.
        if isSynced { #expect(store.statistics.fileBytes < store.statistics.usedBytes + 512 << 10) }
        try store.close()
        #expect(try Store.verify(at: fixture.path).findings == [])
        store = try fixture.open(configuration)
        table = try fixture.numbersToBytes(store)
        #expect(store.recovery == nil)
        for key in 0..<200 { #expect(table.value(forKey: key) == pattern(key, count: 3_500)) }
        try store.close()
    }
}
