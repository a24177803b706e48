internal import Glibc

/// Bytes that come in chunks.
protocol ByteSource {
    /// The number of bytes in all, where it is known beforehand.
    var totalBytes: Int? { get }

    /// The next bytes, at most a bounded chunk; none means the end.
    mutating func nextChunk() throws(ToolError) -> [UInt8]
}

/// A file or pipe, read from its present position.
final class FileByteSource: ByteSource {
    let totalBytes: Int?

    private static let chunkSize = 64 << 10

    private let descriptor: Int32
    private let name: String
    private let closesDescriptor: Bool

    /// Opens the file at `path`.
    init(path: String) throws(ToolError) {
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        name = "trace '\(path)'"
        closesDescriptor = true
        guard descriptor >= 0 else {
            totalBytes = nil
            let remedy =
                errno == ENOENT
                ? "check the path, or leave the trace out for the synthetic workload"
                : "check the path and its permissions"
            throw .failure("trace '\(path)' cannot be opened (\(SystemError.description(of: errno))); \(remedy)")
        }
        var status = stat()
        let isKnown = unsafe fstat(descriptor, &status) == 0
        if isKnown, status.st_mode & S_IFMT == S_IFDIR {
            totalBytes = nil
            throw .failure("trace '\(path)' is a directory; name a file in it")
        }
        totalBytes = isKnown && status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
    }

    private init(borrowing descriptor: Int32, name: String) {
        self.descriptor = descriptor
        self.name = name
        closesDescriptor = false
        totalBytes = nil
    }

    /// Standard input, under the name that errors give what it holds.
    static func standardInput(as name: String) -> FileByteSource {
        FileByteSource(borrowing: STDIN_FILENO, name: name)
    }

    deinit {
        if closesDescriptor, descriptor >= 0 { close(descriptor) }
    }

    func nextChunk() throws(ToolError) -> [UInt8] {
        while true {
            var failure: Int32 = 0
            // Safety: `read` initialises exactly the bytes that it counts, and writes no more than the capacity.
            let chunk = unsafe [UInt8](unsafeUninitializedCapacity: Self.chunkSize) { buffer, count in
                let result = unsafe read(descriptor, buffer.baseAddress, buffer.count)
                if result < 0 { failure = errno }
                count = max(0, result)
            }
            switch failure {
            case 0: return chunk
            // A signal that asks to stop ends the trace here; the replay reports what it has served.
            case EINTR: if Interruption.signal != nil { return [] }
            default:
                throw .failure(
                    "\(name) cannot be read (\(SystemError.description(of: failure))); check the file"
                )
            }
        }
    }
}
