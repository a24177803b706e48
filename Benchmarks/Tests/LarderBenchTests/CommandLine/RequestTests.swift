import Testing

@testable import LarderBench

struct RequestTests {
    private static let suites = [
        Suite(
            name: "memory",
            summary: "",
            subject: "larder",
            cases: [1, 2].flatMap { threads in
                ["get-int", "set-string"].map { name in
                    Case(
                        name: name,
                        threads: threads,
                        subjects: ["larder", "nscache"].map { subject in
                            Subject(name: subject) { Trial(hits: .none) { _, _ in Tally() } }
                        }
                    )
                }
            },
            bars: []
        )
    ]

    @Test("a suite alone means all its cases, seven rounds and a table")
    func defaults() throws {
        let request = try #require(try Request(["memory"], suites: Self.suites))
        #expect(request.suite.name == "memory")
        #expect(request.cases.count == 4)
        #expect(request.rounds == 7)
        #expect(!request.isJSON)
        #expect(!request.checksBars)
    }

    @Test("options may stand on either side of the suite")
    func options() throws {
        let request = try #require(
            try Request(["--json", "--rounds", "3", "memory", "--check", "--filter", "get"], suites: Self.suites)
        )
        #expect(request.isJSON)
        #expect(request.checksBars)
        #expect(request.rounds == 3)
        #expect(request.cases.map(\.name) == ["get-int", "get-int"])
    }

    @Test("a filter reaches down to subject and threads")
    func filter() throws {
        let request = try #require(try Request(["memory", "--filter", "int/larder/2"], suites: Self.suites))
        #expect(request.cases.map(\.threads) == [2])
        #expect(request.cases.flatMap { $0.subjects.map(\.name) } == ["larder"])
    }

    @Test("help is asked for with -h or --help", arguments: [["-h"], ["memory", "--help"]])
    func help(arguments: [String]) throws {
        #expect(try Request(arguments, suites: Self.suites) == nil)
    }

    @Test(
        "arguments that make no sense are named, with their value and the remedy",
        arguments: [
            ([], "no suite named: give one of memory"),
            (["disk"], "unknown suite disk: the suites are memory"),
            (["memory", "disk"], "unexpected argument disk: name one suite at a time"),
            (
                ["memory", "--fast"],
                "unknown option --fast: the options are --json, --filter TEXT, --rounds N, --check, --help"
            ),
            (["memory", "--rounds"], "--rounds needs a value after it"),
            (["memory", "--filter", ""], "--filter needs a value after it"),
            (["memory", "--rounds", "0"], "--rounds is 0: give a whole number from 1 to 1000"),
            (["memory", "--rounds", "-3"], "--rounds is -3: give a whole number from 1 to 1000"),
            (["memory", "--rounds", "many"], "--rounds is many: give a whole number from 1 to 1000"),
            (["memory", "--rounds", "1e99"], "--rounds is 1e99: give a whole number from 1 to 1000"),
            (
                ["memory", "--filter", "put"],
                "--filter is put, which is part of no case/subject/threads: the cases are get-int, set-string"
            ),
        ] as [([String], String)]
    )
    func badArguments(arguments: [String], message: String) {
        #expect(throws: UsageError(message)) { try Request(arguments, suites: Self.suites) }
    }
}
