@testable import LarderTool

/// Bytes handed out in chunks of a given size, to move every record and line across a chunk's edge.
struct MemoryByteSource: ByteSource {
    var rest: ArraySlice<UInt8>
    let chunkSize: Int
    var totalBytes: Int?

    init(_ bytes: [UInt8], chunkSize: Int = 64 << 10, knowsTotal: Bool = false) {
        rest = bytes[...]
        self.chunkSize = chunkSize
        totalBytes = knowsTotal ? bytes.count : nil
    }

    mutating func nextChunk() -> [UInt8] {
        let chunk = Array(rest.prefix(chunkSize))
        rest = rest.dropFirst(chunkSize)
        return chunk
    }
}

/// A console that remembers.
final class RecordedConsole {
    private(set) var resultBytes: [UInt8] = []
    private(set) var notes = ""

    /// The system's error number with which results are refused; zero takes them.
    var failure: Int32 = 0

    var results: String { String(decoding: resultBytes, as: UTF8.self) }

    func console(showsProgress: Bool = false) -> Console {
        Console(
            showsProgress: showsProgress,
            writeResult: {
                guard self.failure == 0 else { return self.failure }
                self.resultBytes += $0
                return 0
            },
            writeNote: { self.notes += $0 }
        )
    }
}

enum Fixture {
    /// An `oracle` record.
    static func oracle(time: UInt32 = 0, key: UInt64, size: UInt32, next: Int64 = -1) -> [UInt8] {
        littleEndian(time) + littleEndian(key) + littleEndian(size) + littleEndian(next)
    }

    static func littleEndian(_ value: some FixedWidthInteger) -> [UInt8] {
        (0..<value.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    static func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
        littleEndian(value).reversed()
    }

    /// All requests that a source has.
    static func all(_ source: some RequestSource, batchSize: Int = 7) throws(ToolError) -> [TraceRequest] {
        var source = source
        var requests: [TraceRequest] = []
        var batch: [TraceRequest] = []
        repeat {
            try source.read(batchSize, into: &batch)
            requests += batch
        } while !batch.isEmpty
        return requests
    }

    /// All requests of a trace that is given as text.
    static func requests(
        _ text: String,
        _ format: TraceFormat,
        chunkSize: Int = 64 << 10
    ) throws(ToolError) -> [TraceRequest] {
        try all(TraceReader(MemoryByteSource(Array(text.utf8), chunkSize: chunkSize), path: "t", format: format))
    }

    static func request(_ key: Int64, _ size: Int? = nil) -> TraceRequest {
        TraceRequest(key: key, size: size)
    }
}

/// The error that `body` throws; `nil` when it throws none.
func toolError(_ body: () throws -> Void) -> ToolError? {
    do {
        try body()
        return nil
    } catch {
        return error as? ToolError
    }
}
