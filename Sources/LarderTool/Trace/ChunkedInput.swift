/// Records and lines out of chunks, with no more in memory than a chunk and the longest line.
struct ChunkedInput {
    /// Long enough for keys of a million bytes; a longer line is a file without line ends, not a trace.
    static let maximumLineLength = 16 << 20

    /// The bytes read and not yet consumed begin at `position`.
    private(set) var buffer: [UInt8] = []
    private(set) var position = 0

    /// The place in the trace of the first unconsumed byte.
    var offset: Int { consumedChunks + position }

    /// The number of the line that was taken last, from 1.
    private(set) var lineNumber = 0

    private(set) var isAtEnd = false
    private var source: any ByteSource
    private let path: String
    private var consumedChunks = 0

    /// - Parameters:
    ///   - source: Where the bytes come from.
    ///   - path: What errors call the trace.
    init(_ source: any ByteSource, path: String) {
        self.source = source
        self.path = path
    }

    var totalBytes: Int? { source.totalBytes }

    /// The bytes at hand that are not consumed.
    var rest: ArraySlice<UInt8> { buffer[position...] }

    /// Reads until `count` bytes are at hand or the trace ends; says how many are at hand.
    mutating func fill(atLeast count: Int) throws(ToolError) -> Int {
        while buffer.count - position < count, !isAtEnd { try readChunk() }
        return buffer.count - position
    }

    mutating func consume(_ count: Int) {
        position += count
    }

    /// Takes the next line, without its end (`\n` or `\r\n`), as a range of the buffer; `nil` at the end.
    ///
    /// The range is valid until the next call.
    mutating func nextLine() throws(ToolError) -> Range<Int>? {
        var scanned = 0
        while true {
            // Written out: on a generic search this loop would be most of the time of reading a trace.
            var index = position + scanned
            while index < buffer.count, buffer[index] != UInt8(ascii: "\n") { index += 1 }
            if index < buffer.count || (isAtEnd && index > position) {
                return takeLine(endingAt: index)
            }
            guard !isAtEnd else { return nil }
            scanned = index - position
            guard scanned <= Self.maximumLineLength else { throw lineTooLong }
            try readChunk()
        }
    }

    private mutating func takeLine(endingAt index: Int) -> Range<Int> {
        lineNumber += 1
        let start = position
        position = min(index + 1, buffer.count)
        let end = index > start && buffer[index - 1] == UInt8(ascii: "\r") ? index - 1 : index
        return start..<end
    }

    private var lineTooLong: ToolError {
        .failure(
            "trace '\(path)' line \(lineNumber + 1) is longer than \(Self.maximumLineLength) bytes; "
                + "it is not a text trace: give the right --format"
        )
    }

    private mutating func readChunk() throws(ToolError) {
        let chunk = try source.nextChunk()
        guard !chunk.isEmpty else {
            isAtEnd = true
            return
        }
        consumedChunks += position
        if position == buffer.count {
            buffer = chunk
        } else {
            buffer.removeSubrange(..<position)
            buffer += chunk
        }
        position = 0
    }
}
