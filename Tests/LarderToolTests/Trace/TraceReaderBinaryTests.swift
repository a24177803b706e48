import TestSupport
import Testing

@testable import LarderTool

struct TraceReaderBinaryTests {
    private static let chunkSizes = [1, 5, 23, 24, 25, 64 << 10]

    private func read(_ bytes: [UInt8], _ format: TraceFormat, chunkSize: Int = 64 << 10) throws -> [TraceRequest] {
        try Fixture.all(TraceReader(MemoryByteSource(bytes, chunkSize: chunkSize), path: "t", format: format))
    }

    @Test(arguments: chunkSizes)
    func `oracle records are read across any chunk edge`(chunkSize: Int) throws {
        let bytes =
            Fixture.oracle(time: 1, key: 7, size: 512, next: 2) + Fixture.oracle(time: 1, key: .max, size: .max)
            + Fixture.oracle(time: 2, key: 7, size: 0)
        let expected = [Fixture.request(7, 512), Fixture.request(-1, 4_294_967_295), Fixture.request(7, 0)]
        #expect(try read(bytes, .oracle, chunkSize: chunkSize) == expected)
    }

    @Test(arguments: chunkSizes)
    func `big-endian keys are read across any chunk edge`(chunkSize: Int) throws {
        let long = [Int64.min, -1, 0, 1, .max]
        #expect(
            try read(long.flatMap { Fixture.bigEndian($0) }, .i64be, chunkSize: chunkSize)
                == long.map { Fixture.request($0) }
        )
        let short = [UInt32.min, 1, 0x8000_0000, .max]
        #expect(
            try read(short.flatMap { Fixture.bigEndian($0) }, .i32be, chunkSize: chunkSize)
                == short.map { Fixture.request(Int64($0)) }
        )
    }

    @Test(arguments: [(TraceFormat.oracle, 24), (.i32be, 4), (.i64be, 8)])
    func `a record that is cut off anywhere is named by its offset`(format: TraceFormat, size: Int) throws {
        let whole = [UInt8](repeating: 0xFF, count: size * 3)
        for cut in 1..<size {
            let bytes = Array(whole.prefix(size * 2 + cut))
            let start = "trace 't' ends in the middle of a record: \(cut) of \(size) bytes at byte offset \(size * 2);"
            // A pipe shows it at its end; a file, whose length is known, before anything is served.
            let piped = toolError { _ = try read(bytes, format) }
            #expect(piped?.status == .failure)
            #expect(piped?.message.hasPrefix(start) == true, "\(piped?.message ?? "none")")
            let known = MemoryByteSource(bytes, knowsTotal: true)
            #expect(toolError { _ = try TraceReader(known, path: "t", format: format) } == piped)
        }
    }

    @Test func `a next access in the past is a damaged record`() {
        let bytes = Fixture.oracle(key: 1, size: 1, next: 1) + Fixture.oracle(key: 1, size: 1, next: 1)
        let error = toolError { _ = try read(bytes, .oracle) }
        #expect(error?.message.hasPrefix("trace 't' has next access 1 in record 1 at byte offset 24,") == true)
    }

    @Test func `what was read so far shows as a fraction where the end is known`() throws {
        let bytes = (0..<100).flatMap { Fixture.bigEndian(UInt32($0)) }
        var reader = try TraceReader(MemoryByteSource(bytes, knowsTotal: true), path: "t", format: .i32be)
        var batch: [TraceRequest] = []
        try reader.read(25, into: &batch)
        #expect(reader.fractionDone == 0.25)
        #expect(try TraceReader(MemoryByteSource(bytes), path: "t", format: .i32be).fractionDone == nil)
    }

    @Test(.enabled(if: SharedTraces.areThere, Comment(rawValue: SharedTraces.absence)))
    func `the public traces have the requests and keys that they are known for`() throws {
        let traces = [
            ("cloudphysics.oracle", 113_872, 48_974), ("corda.i64be", 135_702, 90_468),
            ("2_pools.lirs", 100_000, 9_939), ("loop.lirs", 505_500, 1_011), ("ps.lirs", 10_448, 3_083),
            ("sprite.lirs", 133_996, 7_075), ("web07.i32be", 76_118, 20_484),
        ]
        for (name, requests, keys) in traces {
            let all = try Fixture.all(TraceReader.open(SharedTraces.path(name), format: nil), batchSize: 1024)
            #expect(all.count == requests, "\(name)")
            #expect(Set(all.map(\.key)).count == keys, "\(name)")
        }
    }
}
