import Testing

@testable import LarderTool

struct ArgumentParserTests {
    private let parser = ArgumentParser(
        command: "replay",
        options: [OptionSpecification("--size", "N", help: ""), OptionSpecification("--json", help: "")],
        maximumPositionals: 1
    )

    @Test func `values follow their option or an equals sign`() throws {
        #expect(try parser.parse(["--size", "3"]).values == ["--size": "3"])
        #expect(try parser.parse(["--size=3"]).values == ["--size": "3"])
        #expect(try parser.parse(["--size=a=b"]).values == ["--size": "a=b"])
    }

    @Test func `flags and positionals may stand in any order`() throws {
        let parsed = try parser.parse(["--json", "trace", "--size=1"])
        #expect(parsed == ParsedArguments(positionals: ["trace"], values: ["--size": "1"], flags: ["--json"]))
    }

    @Test func `a lone dash is a positional`() throws {
        #expect(try parser.parse(["-"]).positionals == ["-"])
    }

    @Test func `after two dashes all is positional`() throws {
        #expect(try parser.parse(["--", "--json"]).positionals == ["--json"])
    }

    @Test func `of an option given twice the last counts`() throws {
        #expect(try parser.parse(["--size=1", "--size", "2"]).values == ["--size": "2"])
    }

    @Test func `a negative number is a value, for its option to refuse`() throws {
        #expect(try parser.parse(["--size", "-5"]).values == ["--size": "-5"])
    }

    @Test func `keys and values may be empty, and may begin with a dash after two`() throws {
        let parser = ArgumentParser(command: "put", options: [], maximumPositionals: 3, takesKeys: true)
        #expect(try parser.parse(["d", "", ""]).positionals == ["d", "", ""])
        #expect(try parser.parse(["d", "--", "-5", ""]).positionals == ["d", "-5", ""])
        #expect(try parser.parse(["d", "--", "-h", "x"]).positionals == ["d", "-h", "x"])
        #expect(
            toolError { _ = try parser.parse(["d", "-5", ""]) }
                == .usage(
                    "unknown option '-5'; put '--' before arguments that begin with '-', or see 'larder help put'"
                )
        )
    }

    @Test(
        arguments: [
            (["--sise", "1"], "unknown option '--sise' (did you mean '--size'?); see 'larder help replay'"),
            (["--qqqq"], "unknown option '--qqqq'; see 'larder help replay'"),
            (["-x"], "unknown option '-x'; see 'larder help replay'"),
            (["--size"], "option --size needs a value: --size N"),
            (["--size", "--json"], "option --size needs a value: --size N"),
            (["--size="], "option --size has an empty value; give --size N"),
            (["--json=yes"], "option --json takes no value, but 'yes' was given; leave it out"),
            (["one", "two"], "unexpected argument 'two'; see 'larder help replay'"),
            ([""], "an argument of 'replay' is empty; leave it out or quote what was meant"),
        ]
    )
    func `a wrong command line is a usage error`(arguments: [String], message: String) {
        #expect(toolError { _ = try parser.parse(arguments) } == .usage(message))
    }
}
