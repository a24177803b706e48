/// How the process ends.
enum ExitCode: Int32 {
    case success = 0
    case failure = 1
    case usage = 2

    /// As a shell reports a process that SIGINT ended.
    case interrupted = 130

    /// As a shell reports a process that SIGPIPE ended.
    case readerGone = 141
}

/// What the tool refuses or failed at, in one line that names the thing, the value and the remedy.
struct ToolError: Error, Equatable, CustomStringConvertible {
    let status: ExitCode
    let message: String

    var description: String { message }

    /// The command line itself is wrong.
    static func usage(_ message: String) -> ToolError {
        ToolError(status: .usage, message: message)
    }

    /// The command line is right, but what it asks for cannot be done.
    static func failure(_ message: String) -> ToolError {
        ToolError(status: .failure, message: message)
    }
}
