internal import Foundation

/// The command `larder-bench`: measures the suite it is given and reports.
@main
struct LarderBench {
    static func main() {
        // A reader that goes away, as `head` does, must not end the run before the bars are checked.
        signal(SIGPIPE, SIG_IGN)
        ScratchDirectory.removeWhenInterrupted()
        exit(run(Array(CommandLine.arguments.dropFirst())))
    }

    /// Runs the command and returns its exit status: 0, 1 for a failed measurement or a missed bar that was to be
    /// checked, 2 for arguments that make no sense.
    static func run(_ arguments: [String]) -> Int32 {
        do {
            guard let request = try Request(arguments, suites: Suite.all) else {
                Console.print(Request.usage(Suite.all))
                return 0
            }
            return try measure(request)
        } catch let error as UsageError {
            Console.complain(error.message)
            return 2
        } catch {
            Console.complain("\(error)")
            return 1
        }
    }

    private static func measure(_ request: Request) throws -> Int32 {
        #if DEBUG
            Console.complain("this is a debug build, whose times say nothing: run it with -c release")
        #endif
        try AllocationCount.check()
        var report = Report()
        var table = ResultTable(of: request.cases, subject: request.suite.subject)
        let runner = Runner(rounds: request.rounds, threads: request.cases.map(\.threads).max() ?? 1)
        for benchmark in request.cases {
            let results = try runner.measure(benchmark)
            report.results += results
            // At once, because a suite may take ten minutes, and fail in the last of them.
            if !request.isJSON { Console.print(table.lines(of: results).joined(separator: "\n")) }
        }
        let verdicts = request.suite.bars.map { Verdict(on: $0, in: report) }
        if request.isJSON {
            Console.print(try report.json())
        } else {
            Console.print("")
            Console.print(Verdict.lines(of: verdicts).joined(separator: "\n"))
        }
        guard request.checksBars else { return 0 }
        let missed = verdicts.filter { $0.outcome == .missed }
        for verdict in missed { Console.complain("missed: \(verdict.line)") }
        return missed.isEmpty ? 0 : 1
    }
}
