import Foundation
import Glibc

/// The built tool, run as its users run it.
final class ToolProcess {
    private let process = Process()
    private let output = Pipe()
    private let errors = Pipe()

    private let input = Pipe()

    /// Runs the tool; with `shell` through a shell that runs this first.
    init(_ arguments: [String], environment: [String: String] = [:], shell: String? = nil) throws {
        // The test bundle lies beside the products, in whatever folder this build has.
        let tool = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appending(path: "larder")
        if let shell {
            process.executableURL = URL(filePath: "/bin/sh")
            process.arguments = ["-c", "\(shell); exec \"$0\" \"$@\"", tool.path] + arguments
        } else {
            process.executableURL = tool
            process.arguments = arguments
        }
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
        try process.run()
    }

    struct Result {
        let status: Int32
        let output: String
        let errors: String
    }

    /// Gives it input; more may follow until `finish()`.
    func write(_ text: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
    }

    /// Ends its input and waits for its end.
    func finish() throws -> Result {
        try input.fileHandleForWriting.close()
        // The tool's error is one line, which a pipe holds: reading one after the other cannot hang.
        let output = try output.fileHandleForReading.readToEnd() ?? Data()
        let errors = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Result(
            status: process.terminationStatus,
            output: String(decoding: output, as: UTF8.self),
            errors: String(decoding: errors, as: UTF8.self)
        )
    }

    func send(_ signal: Int32) {
        kill(process.processIdentifier, signal)
    }

    /// Whether it has a handler for the signal, as the kernel tells.
    func catches(_ signal: Int32) -> Bool {
        guard
            let status = try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("SigCgt:") }),
            let mask = UInt64(line.dropFirst(7).trimmingCharacters(in: .whitespaces), radix: 16)
        else { return false }
        return mask & 1 << UInt64(signal - 1) != 0
    }

    static func run(_ arguments: String..., environment: [String: String] = [:]) throws -> Result {
        try ToolProcess(arguments, environment: environment).finish()
    }
}
