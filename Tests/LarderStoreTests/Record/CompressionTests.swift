import TestSupport
import Testing

@testable import LarderStore

struct CompressionTests {
    private static func configuration(_ compression: StoreConfiguration.Compression?) -> StoreConfiguration {
        var configuration = StoreFixture.configuration()
        configuration.compression = compression
        return configuration
    }

    /// Text that compresses to about a quarter.
    private static func text(_ number: Int, count: Int) -> [UInt8] {
        var random = SeededRandom(seed: UInt64(number))
        let words = ["larder", "cache", "pantry", "shelf", "flour", "sugar", "salt", "honey"]
        var bytes: [UInt8] = []
        while bytes.count < count {
            bytes += Array(
                "\(words[Int.random(in: 0..<8, using: &random)]) \(Int.random(in: 0..<100, using: &random)), ".utf8
            )
        }
        return Array(bytes[..<count])
    }

    /// Bytes that do not compress.
    private static func noise(_ number: Int, count: Int) -> [UInt8] {
        var random = SeededRandom(seed: UInt64(number))
        return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }

    @Test("values come back whatever the setting they were written with and are read with")
    func settings() throws {
        let fixture = try StoreFixture()
        let sizes = [0, 1, 999, 1_000, 1_001, 5_000, 65_521, 600_000]
        let settings: [StoreConfiguration.Compression?] = [
            nil, .init(threshold: 1_000), .init(threshold: 0, level: 19), .init(threshold: 100, level: 1), nil,
        ]
        for (round, setting) in settings.enumerated() {
            let store = try fixture.open(Self.configuration(setting))
            let table = try fixture.bytes(store)
            for earlier in 0..<round {
                for size in sizes {
                    #expect(table.value(forKey: "\(earlier) \(size)") == Self.text(size, count: size))
                    #expect(table.value(forKey: "\(earlier) -\(size)") == pattern(size, count: size))
                }
            }
            for size in sizes {
                try table.setValue(Self.text(size, count: size), forKey: "\(round) \(size)")
                try table.setValue(pattern(size, count: size), forKey: "\(round) -\(size)")
                #expect(table.value(forKey: "\(round) \(size)") == Self.text(size, count: size))
            }
            try store.flush()
            for size in sizes { #expect(table.value(forKey: "\(round) \(size)") == Self.text(size, count: size)) }
            var walked = 0
            table.forEach { key, record in
                let size = Int(key.split(separator: " ")[1]) ?? 0
                #expect(record.value.count == abs(size))
                walked += 1
            }
            #expect(walked == (round + 1) * 2 * sizes.count)
            try store.close()
            #expect(try Store.verify(at: fixture.path).findings == [])
        }
        let file = try StoreFile(path: fixture.path).content()
        let table = try #require(file.tables.first)
        #expect(try file.record(forKey: Array("1 5000".utf8), in: table)?.payload == Self.text(5_000, count: 5_000))
    }

    @Test("what gets smaller takes less space; what does not, or is small, is stored as it is")
    func space() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open(Self.configuration(.init(threshold: 1_000)))
        let table = try fixture.bytes(store)
        func stored(_ value: [UInt8]) throws -> Int {
            let write = try table.prepare(value, forKey: "k", cost: nil, created: fixture.clock.now, expires: nil)
            #expect(write.payloadBytes == value.count)
            table.enqueue(write)
            try store.flush()
            let record = try #require(table.record(forKey: "k"))
            #expect(record.value == value)
            // The cost is that of the value, not of what it takes here.
            #expect(record.cost == value.count)
            return record.storedBytes - 65
        }
        #expect(try stored(Self.text(1, count: 20_000)) < 8_000)
        #expect(try stored(Self.noise(1, count: 20_000)) == 20_000)
        #expect(try stored(Self.text(1, count: 999)) == 999)
        #expect(try stored(Self.text(1, count: 1_000)) < 700)
        // So large that even the compressed one is stored in pieces.
        let large = try stored(Self.text(1, count: 150_000) + Self.noise(2, count: 300_000))
        #expect((RecordPieces.wholeLimit..<400_000).contains(large))
        try store.close()
    }

    @Test("L52 the limit on values counts their bytes before compression")
    func limit() throws {
        let fixture = try StoreFixture()
        var configuration = Self.configuration(.init())
        configuration.maxValueBytes = .kibibytes(64)
        let store = try fixture.open(configuration)
        let table = try fixture.bytes(store)
        let error = #expect(throws: StoreError.self) {
            try table.setValue([UInt8](repeating: 0, count: 65_536), forKey: "k")
        }
        #expect(error?.code == .valueTooLarge)
        try store.close()
    }

    @Test("a compressed record that is written again, by eviction or after a clock that was wrong, stays readable")
    func rewritten() throws {
        let fixture = try StoreFixture()
        var configuration = Self.configuration(.init(threshold: 100))
        configuration.budget = .mebibytes(1)
        let store = try fixture.open(configuration)
        let table = try fixture.bytes(store)
        let value = Self.text(3, count: 4_000)
        try table.setValue(value, forKey: "hot", expiration: .seconds(1_000))
        try store.flush()
        fixture.clock.advance(by: .seconds(-100))
        #expect(table.value(forKey: "hot") == value)
        for key in 0..<3_000 {
            try table.setValue(Self.noise(key, count: 1_000), forKey: "\(key)")
            if key % 50 == 0 { #expect(table.value(forKey: "hot") == value) }
        }
        try store.flush()
        #expect(store.statistics.evicted > 1_000)
        #expect(store.statistics.damaged == 0)
        #expect(table.value(forKey: "hot") == value)
        try store.close()
    }

    @Test("extensions are given key and payload as they were before compression")
    func extensions() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open(Self.configuration(.init(threshold: 100)))
        let value = Self.text(3, count: 4_000)
        let records = store.core.records
        var header = RecordHeader(
            contentChecksum: 0,
            created: fixture.clock.now,
            expires: .never,
            cost: 0,
            keyLength: 3,
            payloadLength: 0,
            codec: 1
        )
        let key = Array("key".utf8)
        #expect(records.plain(key + value, header) == key + value)
        header.isCompressed = true
        let compressed = try #require(records.compressor.compressed(value, level: 3))
        #expect(compressed.count < value.count / 2)
        #expect(records.plain(key + compressed, header) == key + value)
        #expect(records.plain(key + Array(compressed.dropLast()), header) == key)
        try store.close()
    }

    @Test("A76 bytes that are no compressed value are refused, whatever they claim")
    func garbage() throws {
        let compressor = Compressor()
        let value = Self.text(9, count: 10_000)
        let compressed = try #require(compressor.compressed(value, level: 3))
        #expect(compressor.decompressed(compressed) == value)
        #expect(compressor.decompressed([]) == nil)
        #expect(compressor.decompressed(Self.noise(1, count: 100)) == nil)
        for length in 0..<compressed.count where length % 37 == 0 {
            #expect(compressor.decompressed(Array(compressed[..<length])) == nil)
        }
        // A frame that says it holds a hundred gigabytes.
        let claim: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0xE0, 0, 0, 0, 0, 25, 0, 0, 0, 1, 0, 0]
        #expect(compressor.decompressed(claim) == nil)
        #expect(compressor.compressed(Self.noise(1, count: 1_000), level: 3) == nil)
    }
}
