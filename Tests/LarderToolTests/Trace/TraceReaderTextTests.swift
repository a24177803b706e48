import Testing

@testable import LarderTool

struct TraceReaderTextTests {
    private static let chunkSizes = [1, 2, 3, 7, 64 << 10]

    @Test(arguments: chunkSizes)
    func `numbers are read past markers, blank lines and either line end`(chunkSize: Int) throws {
        let requests = try Fixture.requests("* begin\n1\r\n\n 22 \n*\n*5\n333", .lirs, chunkSize: chunkSize)
        #expect(requests == [Fixture.request(1), Fixture.request(22), Fixture.request(333)])
    }

    @Test(
        arguments: [
            ("1\n-2\n", "line 2: '-2' is not a whole number from 0"),
            ("1\n2\nx7\n", "line 3: 'x7' is not a whole number from 0"),
            ("1.5\n", "line 1: '1.5' is not"),
            ("1 2\n", "line 1: '1 2' is not"),
            ("9223372036854775808\n", "line 1: '9223372036854775808' is not"),
            (String(repeating: "a", count: 50), "line 1: '\(String(repeating: "a", count: 40))...' is not"),
        ]
    )
    func `a line that is no number is named`(text: String, part: String) {
        let error = toolError { _ = try Fixture.requests(text, .lirs) }
        #expect(error?.status == .failure)
        #expect(error?.message.hasPrefix("trace 't' \(part)") == true, "\(error?.message ?? "none")")
    }

    @Test(arguments: chunkSizes)
    func `keys with sizes are read past a header`(chunkSize: Int) throws {
        let requests = try Fixture.requests("key,size\n7,100\r\n-8, 5\n\n9,0", .csv, chunkSize: chunkSize)
        #expect(requests == [Fixture.request(7, 100), Fixture.request(-8, 5), Fixture.request(9, 0)])
    }

    @Test func `keys without sizes are read, with and without a header`() throws {
        #expect(try Fixture.requests("Key\n1\n2\n", .csv) == [Fixture.request(1), Fixture.request(2)])
        #expect(try Fixture.requests("1\n2\n", .csv) == [Fixture.request(1), Fixture.request(2)])
        #expect(try Fixture.requests("a,1\n", .csv).count == 1)
    }

    @Test func `a first line without a size is no header`() {
        let error = toolError { _ = try Fixture.requests("a,\nb,2\n", .csv) }
        #expect(error?.message.hasPrefix("trace 't' line 1: 'a,' has a size that is not a whole number") == true)
    }

    @Test(arguments: chunkSizes)
    func `a mark of UTF-8 is no part of the first key`(chunkSize: Int) throws {
        let numbers = [Fixture.request(1, 5), Fixture.request(1, 5)]
        #expect(try Fixture.requests("\u{FEFF}1,5\n1,5\n", .csv, chunkSize: chunkSize) == numbers)
        #expect(try Fixture.requests("\u{FEFF}key\n1\n", .csv, chunkSize: chunkSize) == [Fixture.request(1)])
        #expect(try Fixture.requests("\u{FEFF}1\n", .lirs, chunkSize: chunkSize) == [Fixture.request(1)])
    }

    @Test func `texts are hashed the same way in every process, and unlike each other`() throws {
        let keys = try Fixture.requests("alpha\nbeta\nalpha\n007\n7\n+7\n7 \n", .csv).map(\.key)
        // Written down: with other keys the store that an earlier replay made would miss.
        #expect(keys[0] == 8_596_495_612_706_370_024)
        #expect(keys[0] == keys[2] && keys[4] == 7)
        #expect(Set(keys).count == 6)
    }

    @Test func `quoted keys may hold commas and quotes`() throws {
        let keys = try Fixture.requests("\"a,b\",3\n\"a\"\"b\",4\n\"\",5\n", .csv)
        #expect(keys.map(\.size) == [3, 4, 5])
        #expect(keys[0].key == TraceReader.key(Array("a,b".utf8)[...]))
        #expect(keys[1].key == TraceReader.key(Array("a\"b".utf8)[...]))
        #expect(keys[2].key == TraceReader.key([]))
    }

    @Test func `canonically equal texts of different bytes are different keys here`() throws {
        // The trace's bytes count: what the cache makes of String keys is its own matter.
        #expect(Set(try Fixture.requests("caf\u{E9}\ncafe\u{301}\n", .csv).map(\.key)).count == 2)
    }

    @Test func `a key of a million bytes is a key`() throws {
        let long = String(repeating: "k", count: 1_000_000)
        #expect(try Fixture.requests("\(long),3\nx,4\n", .csv).map(\.size) == [3, 4])
    }

    @Test(
        arguments: [
            ("1,2\n3,-4\n", "line 2: '3,-4' has a size that is not a whole number from 0"),
            ("1,x\n", "line 1: '1,x' has a size that is not"),
            ("a,1\nb,\n", "line 2: 'b,' has a size that is not"),
            ("1,9223372036854775808\n", "line 1: '1,9223372036854775808' has a size that is not"),
            ("1,2,3\n", "line 1: '1,2,3' has 3 fields, but a line is key or key,size"),
            ("\"a,1\n", "line 1: '\"a,1' has a quote that does not close"),
            ("\"a\"b,1\n", "line 1: '\"a\"b,1' has a quote that does not close, or text after one"),
        ]
    )
    func `a line of another shape is named`(text: String, part: String) {
        let error = toolError { _ = try Fixture.requests(text, .csv) }
        #expect(error?.status == .failure)
        #expect(error?.message.hasPrefix("trace 't' \(part)") == true, "\(error?.message ?? "none")")
    }

    @Test(arguments: [("* only\n*markers\n", TraceFormat.lirs), ("key,size\n", .csv), ("\n\n", .csv)])
    func `a trace without requests is refused`(text: String, format: TraceFormat) {
        let error = toolError { _ = try Fixture.requests(text, format) }
        #expect(error?.message == "trace 't' holds no requests, only markers or a header; give one with requests")
    }

    @Test func `a line without end is refused before it fills memory`() {
        let endless = [UInt8](repeating: UInt8(ascii: "1"), count: ChunkedInput.maximumLineLength + 200_000)
        let error = toolError {
            _ = try Fixture.all(TraceReader(MemoryByteSource(endless), path: "t", format: .csv))
        }
        #expect(error?.message.hasPrefix("trace 't' line 1 is longer than 16777216 bytes;") == true)
    }
}
