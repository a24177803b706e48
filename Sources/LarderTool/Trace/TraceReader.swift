/// The requests of a trace, read in bounded chunks.
struct TraceReader: RequestSource {
    private static let sampleSize = 4096

    let format: TraceFormat

    /// The trace's path, or `-`.
    let path: String

    var input: ChunkedInput
    private var served = 0

    /// Begins to read, far enough to know the format and to refuse what is empty or of another one.
    ///
    /// Without a format it is found out from the path, which is also what errors and the report call the trace.
    init(_ source: any ByteSource, path: String, format: TraceFormat?) throws(ToolError) {
        self.path = path
        input = ChunkedInput(source, path: path)
        guard try input.fill(atLeast: Self.sampleSize) > 0 else {
            if Interruption.signal != nil {
                throw ToolError(status: .interrupted, message: "interrupted before trace '\(path)' began")
            }
            throw .failure("trace '\(path)' is empty; give one with requests")
        }
        let sample = input.rest.prefix(Self.sampleSize)
        if let format {
            self.format = format
        } else {
            self.format = try .detect(path, sample: sample)
        }
        try self.format.check(path, sample: sample)
        if self.format.recordSize == nil { input.consume(sample.markLength) }
        // Where the length is known, a cut-off end is found before anything is served.
        if let total = input.totalBytes, let size = self.format.recordSize, total % size != 0 {
            throw truncated(at: total - total % size, found: total % size, of: size)
        }
    }

    /// Opens the trace that the options name.
    static func open(_ path: String, format: TraceFormat?) throws(ToolError) -> TraceReader {
        try TraceReader(
            path == "-" ? .standardInput(as: "trace '-'") : FileByteSource(path: path),
            path: path,
            format: format
        )
    }

    var name: String { "\(path == "-" ? "standard input" : path) (\(format.rawValue))" }

    var fractionDone: Double? {
        input.totalBytes.map { Double(input.offset) / Double(max(1, $0)) }
    }

    mutating func read(_ count: Int, into batch: inout [TraceRequest]) throws(ToolError) {
        batch.removeAll(keepingCapacity: true)
        while batch.count < count {
            let request: TraceRequest?
            switch format {
            case .oracle: request = try nextOracle(index: served + batch.count)
            case .i32be, .i64be: request = try nextInteger()
            case .lirs: request = try nextNumberLine()
            case .csv: request = try nextCSV()
            }
            guard let request else { break }
            batch.append(request)
        }
        served += batch.count
        guard served > 0 || Interruption.signal != nil else {
            throw .failure("trace '\(path)' holds no requests, only markers or a header; give one with requests")
        }
    }

    func truncated(at offset: Int, found: Int, of size: Int) -> ToolError {
        .failure(
            "trace '\(path)' ends in the middle of a record: \(found) of \(size) bytes at byte offset \(offset); "
                + "it is cut off or not in format \(format.rawValue): copy it again or give --format"
        )
    }

    func malformedLine(_ line: some Collection<UInt8>, _ problem: String) -> ToolError {
        let excerpt = String(decoding: line.prefix(40), as: UTF8.self) + (line.count > 40 ? "..." : "")
        return .failure(
            "trace '\(path)' line \(input.lineNumber): '\(excerpt)' \(problem); correct the line or give --format"
        )
    }
}
