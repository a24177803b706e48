import TestSupport
import Testing

@testable import LarderStore

/// A directory, a clock moved by hand, and the stores opened with both.
struct StoreFixture {
    let directory: TemporaryDirectory
    let clock = ManualClock()
    let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("store")
    }

    /// A configuration that is quick on any disk and sweeps only when told to.
    static func configuration(budget: ByteCount = .mebibytes(64)) -> StoreConfiguration {
        StoreConfiguration(budget: budget, durability: .fast, expiryInterval: .zero)
    }

    func open(
        _ configuration: StoreConfiguration = configuration(),
        events: StoreEvents = StoreEvents(),
        faults: StoreFaults = StoreFaults()
    ) throws -> Store {
        try Store.open(at: path, configuration: configuration, clock: clock.clock, events: events, faults: faults)
    }

    func bytes(_ store: Store) throws -> StoreTable<String, [UInt8]> {
        try store.table("bytes", keyedBy: String.self, codec: .bytes)
    }

    /// What STATE says.
    func state() throws -> StateFile {
        try #require(StoreDirectory(path: path).state)
    }

    func numbers(_ store: Store) throws -> StoreTable<Int, Int> {
        try store.table("numbers", keyedBy: Int.self, codec: ValueCodec<Int>.integer)
    }
}

/// Bytes that follow from a number, so that any mix-up shows.
func pattern(_ number: Int, count: Int) -> [UInt8] {
    var random = SeededRandom(seed: UInt64(bitPattern: Int64(number)))
    // An odd length, so that no page of a large value looks like another.
    var bytes = (0..<min(count, 251)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    let block = bytes
    while bytes.count < count { bytes.append(contentsOf: block.prefix(count - bytes.count)) }
    return bytes
}
