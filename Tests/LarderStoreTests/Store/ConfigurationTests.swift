import FoundationEssentials
import LarderStore
import TestSupport
import Testing

struct ConfigurationTests {
    private static let wrong: [(field: String, change: @Sendable (inout StoreConfiguration) -> Void)] = [
        ("budget", { $0.budget = 1_000 }),
        ("budget", { $0.budget = .bytes(.max) }),
        ("lowWater", { $0.lowWater = 0 }),
        ("lowWater", { $0.lowWater = 1.5 }),
        ("lowWater", { $0.lowWater = .nan }),
        ("maxValueBytes", { $0.maxValueBytes = 0 }),
        ("maxValueBytes", { $0.maxValueBytes = .gibibytes(1) }),
        ("queue.bytes", { $0.queue.bytes = 0 }),
        ("queue.maxBatchOperations", { $0.queue.maxBatchOperations = 0 }),
        ("queue.maxBatchBytes", { $0.queue.maxBatchBytes = .gibibytes(4) }),
        ("closeDeadline", { $0.closeDeadline = .seconds(-1) }),
        ("expiryInterval", { $0.expiryInterval = .seconds(-1) }),
        ("maxReaders", { $0.maxReaders = 0 }),
        ("compression.level", { $0.compression = .init(level: 20) }),
    ]

    @Test("A43 A59 the longest durations there are mean for ever")
    func longestDurations() throws {
        let fixture = try StoreFixture()
        var configuration = StoreFixture.configuration()
        configuration.closeDeadline = .seconds(Int64.max)
        configuration.expiryInterval = .seconds(Int64.max)
        configuration.slowReadAge = .seconds(Int64.max)
        let store = try fixture.open(configuration)
        let table = try fixture.numbers(store)
        try table.setValue(1, forKey: 1, expiration: .seconds(Int64.max))
        try store.flush()
        fixture.clock.advance(by: .seconds(86_400 * 365 * 100))
        #expect(table.value(forKey: 1) == 1)
        try store.close()
    }

    @Test(
        "V51 V89 a value that cannot work is refused by name, with the value, before anything is made",
        arguments: 0..<14
    )
    func wrongValues(index: Int) throws {
        let (field, change) = Self.wrong[index]
        var configuration = StoreConfiguration(budget: .mebibytes(64))
        change(&configuration)
        let fixture = try StoreFixture()
        let error = #expect(throws: StoreError.self) { try fixture.open(configuration) }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.hasPrefix("\(field) is ") == true)
        #expect(!FileManager.default.fileExists(atPath: fixture.path))
    }

    @Test("every count of wrong values is tested")
    func wrongCount() {
        #expect(Self.wrong.count == 14)
    }

    @Test("the default works")
    func plain() throws {
        try StoreConfiguration().validate()
    }

    @Test("amounts of bytes are read in every unit and written in the largest exact one")
    func byteCounts() {
        let right: [(String, Int)] = [
            ("0", 0), ("1000", 1_000), ("64KB", 64_000), ("64KiB", 65_536), ("384MiB", 384 << 20), ("4gib", 4 << 30),
            ("2 GB", 2_000_000_000), ("1TiB", 1 << 40), ("7b", 7),
        ]
        for (text, bytes) in right { #expect(ByteCount(text)?.bytes == bytes, "\(text)") }
        for text in ["", "MiB", "-1", "1.5GiB", "1 Q", "99999999999999999999", "9000000TiB", "٣"] {
            #expect(ByteCount(text) == nil, "\(text)")
        }
        #expect(ByteCount.mebibytes(384).description == "384MiB")
        #expect(ByteCount.bytes(1_500).description == "1500")
        #expect(ByteCount.gibibytes(.max).bytes == .max)
        #expect(ByteCount.bytes(-5) == 0)
        #expect(ByteCount.kibibytes(1) < .mebibytes(1))
        for bytes in [0, 1, 1_024, 1_500, 3 << 20, 5 << 40] {
            #expect(ByteCount(ByteCount.bytes(bytes).description) == .bytes(bytes))
        }
    }
}
