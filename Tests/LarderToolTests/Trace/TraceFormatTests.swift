import TestSupport
import Testing

@testable import LarderTool

struct TraceFormatTests {
    private func detect(_ bytes: [UInt8], name: String = "trace") throws -> TraceFormat {
        try TraceReader(MemoryByteSource(bytes), path: name, format: nil).format
    }

    @Test(arguments: TraceFormat.allCases)
    func `a known ending decides`(format: TraceFormat) throws {
        let bytes = [UInt8](repeating: format.recordSize == nil ? UInt8(ascii: "1") : 0xFF, count: 24)
        #expect(try detect(bytes, name: "/a.b/x.\(format.rawValue)") == format)
        #expect(try detect(bytes, name: "X.\(format.rawValue.uppercased())") == format)
    }

    @Test func `content decides where the ending says nothing`() throws {
        let small = (0..<20).map { $0 * 1000 }
        #expect(try detect(small.flatMap { Fixture.oracle(time: 5, key: UInt64($0), size: 512) }) == .oracle)
        #expect(try detect(small.flatMap { Fixture.bigEndian(Int64($0)) }) == .i64be)
        #expect(try detect(small.flatMap { Fixture.bigEndian(UInt32($0)) }) == .i32be)
        #expect(try detect(Array("* x\n12\n13\r\n".utf8)) == .lirs)
        #expect(try detect(Array("key,size\n1,2\n".utf8)) == .csv)
        #expect(try detect(Array("grüße\n".utf8)) == .csv)
        #expect(try detect(Array("\u{FEFF}12\n13\n".utf8)) == .lirs)
    }

    @Test func `random keys are not guessed`() {
        var random = SplitMix64(seed: 11)
        let bytes = (0..<64).flatMap { _ in Fixture.bigEndian(random.next()) }
        let error = toolError { _ = try detect(bytes) }
        #expect(error?.message.hasSuffix("give --format oracle, lirs, i32be, i64be, csv") == true)
    }

    @Test(.enabled(if: SharedTraces.areThere, Comment(rawValue: SharedTraces.absence)))
    func `the public traces are told apart without their endings`() throws {
        let traces = [
            ("cloudphysics.oracle", TraceFormat.oracle), ("2_pools.lirs", .lirs), ("loop.lirs", .lirs),
            ("ps.lirs", .lirs), ("sprite.lirs", .lirs), ("web07.i32be", .i32be),
        ]
        for (name, format) in traces {
            let source = try FileByteSource(path: SharedTraces.path(name))
            #expect(try TraceReader(source, path: "nameless", format: nil).format == format, "\(name)")
        }
    }

    @Test(arguments: [TraceFormat.oracle, .i32be, .i64be])
    func `text is not taken for records`(format: TraceFormat) {
        let text = Array("123456\n234567\n345678\n456".utf8)
        let error = toolError { _ = try TraceReader(MemoryByteSource(text), path: "t", format: format) }
        #expect(error?.message.hasPrefix("trace 't' is text, not \(format.rawValue) records;") == true)
    }

    @Test(arguments: [TraceFormat.lirs, .csv])
    func `records are not taken for text`(format: TraceFormat) {
        let bytes = Fixture.oracle(key: 5, size: 3)
        let error = toolError { _ = try TraceReader(MemoryByteSource(bytes), path: "t", format: format) }
        #expect(error?.message.hasPrefix("trace 't' holds binary data, not \(format.rawValue) lines;") == true)
    }

    @Test(
        arguments: [
            ([UInt8]([0x1F, 0x8B, 8, 0]), "gzip"), ([0x28, 0xB5, 0x2F, 0xFD, 1], "zstd"),
            ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], "xz"),
        ]
    )
    func `a compressed trace is named as such, whatever its ending`(bytes: [UInt8], tool: String) {
        let error = toolError { _ = try detect(bytes, name: "t.lirs") }
        #expect(error?.message.hasPrefix("trace 't.lirs' is compressed (\(tool));") == true)
    }

    @Test func `an empty trace is refused`() {
        #expect(toolError { _ = try detect([]) }?.message == "trace 'trace' is empty; give one with requests")
    }

    @Test func `a trace shorter than the look at its content is no hazard`() {
        for length in 1..<16 {
            let bytes = [UInt8](repeating: 0, count: length)
            #expect(toolError { _ = try detect(bytes) }?.status == .failure)
        }
    }
}
