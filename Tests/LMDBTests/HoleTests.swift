import LMDB
import TestSupport
import Testing

struct HoleTests {
    private let directory: TemporaryDirectory
    private let environment: Environment
    private let database: Database

    init() throws {
        directory = try TemporaryDirectory()
        environment = try Environment(directory: directory.path, options: .small)
        database = try environment.write { (transaction) throws(LMDBError) in try transaction.open("test") }
    }

    private func write(_ body: (inout WriteTransaction) throws(LMDBError) -> Void) throws {
        try environment.write(body)
    }

    /// A value of several pages that follows from its key.
    private func value(_ key: UInt8) -> [UInt8] { [UInt8](repeating: key, count: 40_000) }

    private func fill(_ keys: Range<UInt8>) throws {
        try write { (transaction) throws(LMDBError) in
            for key in keys { try transaction.put(value(key), forKey: [key], in: database) }
        }
    }

    private func clear(_ keys: Range<UInt8>) throws {
        try write { (transaction) throws(LMDBError) in
            for key in keys { try transaction.remove([key], from: database) }
        }
    }

    private func touch() throws {
        try write { (transaction) throws(LMDBError) in try transaction.put([1], forKey: [255], in: database) }
    }

    private func punch() throws -> HolePunching {
        try environment.punchHoles(minimumPages: 4, within: .seconds(10))
    }

    @Test("pages become holes one commit after the one that freed them, once, and can be used again")
    func age() throws {
        try fill(0..<50)
        try clear(0..<50)
        let allocated = environment.statistics.allocatedBytes
        let early = try punch()
        #expect(early.punchedBytes == 0)
        #expect(early.recentPages >= 500)
        #expect(environment.statistics.allocatedBytes == allocated)

        try touch()
        let outcome = try punch()
        #expect(outcome.isDone)
        #expect(outcome.punchedBytes >= 480 * 4096)
        #expect(environment.statistics.allocatedBytes <= allocated - outcome.punchedBytes + 16 * 4096)
        #expect(try punch().punchedBytes == 0)

        try fill(100..<140)
        for key in UInt8(100)..<140 { #expect(try stored(key) == value(key)) }
    }

    private func stored(_ key: UInt8) throws -> [UInt8]? {
        try environment.read { (transaction) throws(LMDBError) in
            try transaction.withValue(forKey: [key], in: database) { bytes in
                unsafe bytes.withUnsafeBytes { unsafe Array($0) }
            }
        }
    }

    @Test("pages that a snapshot being read needs are left alone until it ends")
    func pinned() throws {
        try fill(0..<50)
        let reader = try Reader(environment)
        try clearBeside(reader)
        #expect(try punch().punchedBytes >= 480 * 4096)
    }

    private func clearBeside(_ reader: Reader) throws {
        let snapshot = try reader.begin()
        try clear(0..<50)
        try touch()
        try touch()
        let outcome = try punch()
        #expect(outcome.punchedBytes == 0)
        #expect(outcome.pinnedPages >= 500)
        for key in UInt8(0)..<50 {
            let bytes = try snapshot.withValue(forKey: [key], in: database) { bytes in
                unsafe bytes.withUnsafeBytes { unsafe Array($0) }
            }
            #expect(bytes == value(key))
        }
    }

    @Test("runs that are too short are left")
    func shortRuns() throws {
        try fill(0..<50)
        try clear(0..<50)
        try touch()
        #expect(try environment.punchHoles(minimumPages: 10_000, within: .seconds(10)).punchedBytes == 0)
    }
}
