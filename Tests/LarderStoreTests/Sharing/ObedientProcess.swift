import Foundation
import Glibc

/// A process with a store that does what the test tells it, one line at a time: see `ObedientStore` of the crash helper.
///
/// Ends with this object.
final class ObedientProcess {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var unread: [UInt8] = []

    /// With `launcher`, a command that runs the one it is followed by.
    init(launcher: [String] = []) throws {
        // Built with the tests, it lies beside them.
        let helper = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appending(path: "CrashHelper").path(percentEncoded: false)
        let command = launcher + [helper, "obey"]
        process.executableURL = URL(filePath: command[0])
        process.arguments = Array(command.dropFirst())
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    deinit {
        try? input.fileHandleForWriting.close()
        kill()
    }

    var number: Int32 { process.processIdentifier }

    /// Tells it something and returns its answer; `nil` if it has ended.
    @discardableResult
    func ask(_ line: String) -> String? {
        try? input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
        while true {
            if let end = unread.firstIndex(of: 10) {
                defer { unread.removeSubrange(...end) }
                return String(decoding: unread[..<end], as: UTF8.self)
            }
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { return nil }
            unread += more
        }
    }

    /// Ends it as the system would, and waits for that.
    func kill() {
        guard process.isRunning else { return }
        Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
