internal import Foundation

/// The two streams of the command.
enum Console {
    /// Whether someone watches the progress.
    static let showsProgress = isatty(FileHandle.standardError.fileDescriptor) == 1

    static func print(_ text: String) {
        write(text + "\n", to: .standardOutput)
    }

    static func complain(_ text: String) {
        write("larder-bench: \(text)\n", to: .standardError)
    }

    /// Replaces the line of progress; an empty text takes it away.
    static func progress(_ text: String) {
        guard showsProgress else { return }
        write("\r\u{1B}[K\(text)", to: .standardError)
    }

    private static func write(_ text: String, to stream: FileHandle) {
        // A reader that has gone away is no reason to fail a measurement.
        try? stream.write(contentsOf: Data(text.utf8))
    }
}
