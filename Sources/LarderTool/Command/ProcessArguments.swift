internal import Glibc

/// The arguments that the process was started with.
enum ProcessArguments {
    /// The arguments after the program's name.
    ///
    /// `CommandLine.arguments` replaces bytes that are not UTF-8, so that another key or directory would be used than
    /// the one that was named: such an argument is a usage error.
    static func read() throws(ToolError) -> [String] {
        var arguments: [String] = []
        for index in 1..<max(1, Int(CommandLine.argc)) {
            // Safety: the system passes as many strings as it says, each ended by a zero, and they are never freed.
            guard let argument = unsafe CommandLine.unsafeArgv[index] else { break }
            guard let text = unsafe String(validatingCString: argument) else {
                let shown = unsafe String(cString: argument)
                throw .usage(
                    "argument \(index), '\(shown)', is not UTF-8; give a key in hexadecimal with --hex, or another path"
                )
            }
            arguments.append(text)
        }
        return arguments
    }
}
