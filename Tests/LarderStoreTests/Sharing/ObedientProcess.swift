import Foundation
import Glibc

/// A process with a store that does what the test tells it, one line at a time: see `ObedientStore` of the crash helper.
///
/// Ends with this object.
final class ObedientProcess {
    private let process = Process()
    private let input = Pipe()
    private var output = SpokenLines()

    /// With `launcher`, a command that runs the one it is followed by.
    init(launcher: [String] = []) throws {
        let command = launcher + [HelperProcess.executable.path(percentEncoded: false), "obey"]
        process.executableURL = URL(filePath: command[0])
        process.arguments = Array(command.dropFirst())
        process.standardInput = input
        process.standardOutput = output.pipe
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
        return output.next()
    }

    /// Ends it as the system would, and waits for that.
    func kill() {
        guard process.isRunning else { return }
        Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
