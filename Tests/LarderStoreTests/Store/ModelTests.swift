import LarderStore
import TestSupport
import Testing

/// The store against a dictionary.
struct ModelTests {
    private struct Entry: Equatable {
        var value: [UInt8]
        var expires: WallTime?
    }

    @Test(
        "L62 V35 random operations, under torture a million, agree with a dictionary, over reopenings",
        arguments: [1, 2]
    )
    func random(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let fixture = try StoreFixture()
        var store = try fixture.open()
        var table = try fixture.numbersToBytes(store)
        var model: [Int: Entry] = [:]
        func live(_ key: Int) -> [UInt8]? {
            guard let entry = model[key], entry.expires.map({ $0 > fixture.clock.now }) ?? true else { return nil }
            return entry.value
        }
        for step in 0..<Torture.count(50_000, full: 500_000) {
            let key = Int.random(in: 0..<400, using: &random)
            switch Int.random(in: 0..<1_000, using: &random) {
            case 0..<450:
                let value = pattern(
                    step,
                    count: Int.random(in: 0..<[20, 400, 5_000].randomElement(using: &random)!, using: &random)
                )
                let life: Duration? = step % 3 == 0 ? .seconds(Int.random(in: 1..<200, using: &random)) : nil
                try table.setValue(value, forKey: key, expiration: life)
                model[key] = Entry(value: value, expires: life.map { fixture.clock.now + $0 })
            case 450..<600:
                table.removeValue(forKey: key)
                model[key] = nil
            case 600..<950:
                #expect(table.value(forKey: key) == live(key), "seed \(seed), step \(step), key \(key)")
            case 950..<970:
                #expect(table.contains(key) == (live(key) != nil), "seed \(seed), step \(step), key \(key)")
            case 970..<985:
                fixture.clock.advance(by: .milliseconds(Int.random(in: 0..<5_000, using: &random)))
            case 985..<990:
                try store.flush()
            case 990..<993:
                try store.removeExpired()
            case 993:
                table.removeAll()
                model = [:]
            case 994 where step % 7 == 0:
                try store.close()
                store = try fixture.open()
                #expect(store.recovery == nil, "seed \(seed), step \(step)")
                table = try fixture.numbersToBytes(store)
            default:
                let keys = Set(model.keys.filter { live($0) != nil })
                #expect(Set(table.keys()) == keys, "seed \(seed), step \(step)")
            }
        }
        try store.removeExpired()
        let expected = model.keys.filter { live($0) != nil }
        #expect(table.count == expected.count)
        #expect(store.statistics.entries == expected.count)
        #expect(store.statistics.damaged == 0)
        #expect(store.statistics.liveBytes == expected.reduce(0) { $0 + 64 + 8 + (live($1)?.count ?? 0) })
        try store.close()
    }
}
