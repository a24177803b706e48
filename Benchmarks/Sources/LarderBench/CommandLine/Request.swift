/// What the arguments ask for.
struct Request {
    static let defaultRounds = 7

    /// More would be a slip of the keyboard: a thousand rounds of one case take minutes.
    static let acceptedRounds = 1...1_000

    let suite: Suite

    /// The cases of the suite that the filter lets through, with those of their subjects that it lets through.
    let cases: [Case]
    let rounds: Int
    let isJSON: Bool
    let checksBars: Bool

    /// Reads the arguments; `nil` when they ask for help.
    init?(_ arguments: [String], suites: [Suite]) throws(UsageError) {
        var suite: Suite?
        var filter: String?
        var rounds = Self.defaultRounds
        var isJSON = false
        var checksBars = false

        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "-h", "--help":
                return nil
            case "--json":
                isJSON = true
            case "--check":
                checksBars = true
            case "--filter":
                filter = try Self.value(of: argument, in: &rest)
            case "--rounds":
                rounds = try Self.rounds(Self.value(of: argument, in: &rest))
            case _ where argument.hasPrefix("-"):
                throw UsageError("unknown option \(argument): the options are \(Self.options)")
            case _ where suite != nil:
                throw UsageError("unexpected argument \(argument): name one suite at a time")
            default:
                suite = suites.first { $0.name == argument }
                guard suite != nil else {
                    throw UsageError("unknown suite \(argument): the suites are \(Self.names(suites))")
                }
            }
        }
        guard let suite else { throw UsageError("no suite named: give one of \(Self.names(suites))") }
        self.suite = suite
        self.rounds = rounds
        self.isJSON = isJSON
        self.checksBars = checksBars
        cases = filter.map { text in suite.cases.compactMap { $0.narrowed(to: text) } } ?? suite.cases
        guard !cases.isEmpty else {
            throw UsageError(
                "--filter is \(filter ?? ""), which is part of no case/subject/threads: the cases are "
                    + "\(Self.caseNames(suite))"
            )
        }
    }

    static func usage(_ suites: [Suite]) -> String {
        """
        usage: larder-bench SUITE [--json] [--filter TEXT] [--rounds N] [--check]

          --json         print a JSON array of results instead of the tables
          --filter TEXT  measure only where TEXT is part of case/subject/threads, such as get-int or get-int/larder/1
          --rounds N     rounds of each subject, \(defaultRounds) unless given
          --check        end with status 1 when a measured bar is missed

        suites:
        \(suites.map { "  \($0.name)  \($0.summary)" }.joined(separator: "\n"))
        """
    }

    private static let options = "--json, --filter TEXT, --rounds N, --check, --help"

    private static func value(of option: String, in rest: inout ArraySlice<String>) throws(UsageError) -> String {
        guard let value = rest.popFirst(), !value.isEmpty else { throw UsageError("\(option) needs a value after it") }
        return value
    }

    private static func rounds(_ text: String) throws(UsageError) -> Int {
        guard let rounds = Int(text), acceptedRounds.contains(rounds) else {
            throw UsageError(
                "--rounds is \(text): give a whole number from \(acceptedRounds.lowerBound) to "
                    + "\(acceptedRounds.upperBound)"
            )
        }
        return rounds
    }

    private static func names(_ suites: [Suite]) -> String {
        suites.map(\.name).joined(separator: ", ")
    }

    private static func caseNames(_ suite: Suite) -> String {
        var names: [String] = []
        for name in suite.cases.map(\.name) where !names.contains(name) { names.append(name) }
        return names.joined(separator: ", ")
    }
}
