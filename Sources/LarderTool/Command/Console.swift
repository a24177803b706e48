internal import Glibc
internal import Larder

/// Where the tool's words go: results to standard output, everything else to standard error.
struct Console {
    /// Whether someone watches standard error, so that a line that is redrawn in place makes sense.
    let showsProgress: Bool

    private let writeResult: ([UInt8]) -> Int32
    private let writeNote: (String) -> Void

    /// Creates a console over two writers.
    ///
    /// - Parameters:
    ///   - showsProgress: Whether progress is drawn.
    ///   - writeResult: Takes results; answers the system's error number if they could not be written, else zero.
    ///   - writeNote: Takes errors and progress.
    init(showsProgress: Bool, writeResult: @escaping ([UInt8]) -> Int32, writeNote: @escaping (String) -> Void) {
        self.showsProgress = showsProgress
        self.writeResult = writeResult
        self.writeNote = writeNote
    }

    /// The process's own standard output and error.
    static var standard: Console {
        // A reader that went away (`| head`) must be a failed write and not a signal: the signal would end the process
        // before a temporary store is removed.
        signal(SIGPIPE, SIG_IGN)
        return Console(
            showsProgress: isatty(STDERR_FILENO) == 1,
            writeResult: { write($0, to: STDOUT_FILENO) },
            writeNote: { _ = write(Array($0.utf8), to: STDERR_FILENO) }
        )
    }

    /// Writes a part of the result.
    func print(_ text: String) throws(ToolError) {
        try print(bytes: Array(text.utf8))
    }

    /// Writes a part of the result that may be no text.
    func print(bytes: [UInt8]) throws(ToolError) {
        switch writeResult(bytes) {
        case 0: return
        case EPIPE: throw ToolError(status: .readerGone, message: "the reader of standard output went away")
        case let failure:
            throw .failure(
                "standard output cannot be written (\(SystemError.description(of: failure))); the result is lost: "
                    + "check the file or the disk behind it"
            )
        }
    }

    /// Writes one line that says what is wrong.
    func complain(_ message: String) {
        writeNote("larder: \(message.onOneLine)\n")
    }

    /// Redraws the progress line; an empty text wipes it.
    func showProgress(_ text: String) {
        guard showsProgress else { return }
        // "Erase to the end of the line" makes a shorter text overwrite a longer one.
        writeNote("\r\(text)\u{1B}[K")
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0 {
                guard errno == EINTR else { return errno }
                continue
            }
            rest = rest.dropFirst(written)
        }
        return 0
    }
}
