import FoundationEssentials
import Glibc
import Testing

@testable import LarderTool

/// The built binary: exit statuses, one line on standard error, nothing left behind.
@Suite(.timeLimit(.minutes(30)))
struct ToolProcessTests {
    @Test func `help and version end well`() throws {
        let help = try ToolProcess.run("--help")
        #expect(help.status == 0 && help.errors.isEmpty && help.output.hasPrefix("larder: a tiered cache"))
        #expect(try ToolProcess.run("--version").output == "larder \(HelpText.version)\n")
    }

    @Test(
        arguments: [
            [], ["replya"], ["replay", "--polcy", "lru"], ["replay", "--policy", "lur"], ["replay", "--capacity", "0"],
            ["replay", "--capacity", "-1"], ["replay", "--capacity", "9223372036854775808"],
            ["replay", "--capacity", "1XB"], ["replay", "a", "b"],
        ]
    )
    func `a wrong command line is status 2 and one line`(arguments: [String]) throws {
        let result = try ToolProcess(arguments).finish()
        #expect(result.status == 2 && result.output.isEmpty)
        #expect(result.errors.hasPrefix("larder: ") && result.errors.count { $0 == "\n" } == 1, "\(result.errors)")
    }

    @Test func `a bad trace is status 1 and one line, and leaves nothing behind`() throws {
        try ScratchDirectory.with { directory in
            let temporary = directory + "/tmp"
            try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: false)
            let contents: [String: [UInt8]] = [
                "empty.lirs": [], "cut.oracle": Array(Fixture.oracle(key: 1, size: 1).dropLast()),
                "cut.i64be": [0xFF, 1, 2], "other.i32be": Array("123456\n123457\n123458\n12".utf8),
                "other.lirs": Fixture.oracle(key: 1, size: 1),
            ]
            for (name, bytes) in contents { try Data(bytes).write(to: URL(filePath: "\(directory)/\(name)")) }
            for name in contents.keys.sorted() + ["missing.csv", "tmp"] {
                let result = try ToolProcess.run(
                    "replay",
                    "\(directory)/\(name)",
                    "--directory",
                    "\(directory)/store",
                    environment: ["TMPDIR": temporary]
                )
                #expect(result.status == 1 && result.output.isEmpty, "\(name)")
                #expect(result.errors.hasPrefix("larder: trace '\(directory)/\(name)' "), "\(result.errors)")
                #expect(result.errors.count { $0 == "\n" } == 1, "\(result.errors)")
                #expect(!FileManager.default.fileExists(atPath: "\(directory)/store"), "\(name)")
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: temporary).isEmpty)
        }
    }

    @Test func `standard input is read for a dash`() throws {
        let process = try ToolProcess(["replay", "-", "--format", "lirs"])
        try process.write("12\nthirteen\n")
        let result = try process.finish()
        #expect(result.status == 1)
        #expect(try ToolProcess.run("replay", "-").errors == "larder: trace '-' is empty; give one with requests\n")
    }

    @Test func `what cannot be read on standard input is named after its use`() throws {
        try ScratchDirectory.with { directory in
            let put = try ToolProcess(["put", directory + "/s", "k", "-", "--create"], shell: "exec < /").finish()
            #expect(put.status == 1)
            #expect(put.errors.hasPrefix("larder: the value on standard input cannot be read (Is a directory); "))
        }
        let replay = try ToolProcess(["replay", "-"], shell: "exec < /").finish()
        #expect(replay.errors.hasPrefix("larder: trace '-' cannot be read (Is a directory); "), "\(replay.errors)")
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `an interruption while waiting for input ends it at once`(signal: Int32) throws {
        let process = try ToolProcess(["replay", "-"])
        while !process.catches(signal) { usleep(1_000) }
        // It may not yet be in the read that the signal breaks: only the first signal is caught, so it is sent once, and
        // the end of input that follows is then taken for the interruption it is.
        process.send(signal)
        let result = try process.finish()
        #expect(result.status == 130)
        #expect(result.errors == "larder: interrupted before trace '-' began\n")
    }

    @Test func `an argument that is not UTF-8 is refused instead of taken for another`() throws {
        let process = try ToolProcess(["keys"], shell: #"set -- "$@" "$(printf 'a\377')""#)
        let result = try process.finish()
        #expect(result.status == 2 && result.output.isEmpty)
        #expect(result.errors.hasPrefix("larder: argument 2, 'a\u{FFFD}', is not UTF-8; "), "\(result.errors)")
    }

    @Test func `a reader that goes away ends it without a word`() throws {
        // Lines are written until that fails: then the reader is gone.
        let fill = "trap '' PIPE; while echo; do :; done 2>/dev/null; trap - PIPE"
        let piped = try ToolProcess([], shell: #"{ \#(fill); "$0" --help; echo $? >&2; } | true; exit"#)
        #expect(try piped.finish().errors == "141\n")
    }

    @Test func `a signal that was ignored before the start stays ignored`() throws {
        let process = try ToolProcess(["replay", "-"], shell: "trap '' INT")
        while !process.catches(SIGTERM) { usleep(1_000) }
        #expect(!process.catches(SIGINT))
        process.send(SIGINT)
        #expect(try process.finish().errors == "larder: trace '-' is empty; give one with requests\n")
    }
}
