import Glibc
import Testing

@testable import LarderTool

struct LarderToolTests {
    private func run(_ arguments: String...) -> (status: ExitCode, results: String, notes: String) {
        let recorded = RecordedConsole()
        let status = LarderTool.run(arguments, console: recorded.console())
        return (status, recorded.results, recorded.notes)
    }

    @Test func `help goes to standard output`() {
        let overview = run("--help")
        #expect(overview.status == .success && overview.notes.isEmpty)
        #expect(overview.results.hasPrefix("larder: a tiered cache"))
        #expect(run("-h").results == overview.results)
        #expect(run("help").results == overview.results)
        #expect(run("help", "replay").results == run("replay", "--help").results)
        #expect(run("help", "demo").results == run("demo", "-h").results)
        #expect(run("put", "d", "--", "-h").notes.hasPrefix("larder: VALUE is missing"))
    }

    @Test func `the help of replay names every option`() {
        let text = run("help", "replay").results
        for option in ReplayOptions.specifications { #expect(text.contains("  \(option.name)")) }
        #expect(!text.split(separator: "\n").contains { $0.count > 120 })
    }

    @Test func `the version is one line`() {
        #expect(run("--version").results == "larder 0.2.0\n")
    }

    @Test func `an unknown command is a usage error with the nearest one`() {
        let result = run("repaly")
        #expect(result.status == .usage && result.results.isEmpty)
        #expect(result.notes == "larder: unknown command 'repaly' (did you mean 'replay'?); see 'larder --help'\n")
        #expect(run("--versoin").notes.contains("unknown option '--versoin' (did you mean '--version'?)"))
        #expect(run("help", "repaly").notes.contains("no help on 'repaly' (did you mean 'replay'?)"))
        #expect(run("help", "replay", "demo").status == .usage)
    }

    @Test func `no command is a usage error`() {
        #expect(run().status == .usage)
    }

    @Test func `control characters cannot break or colour the one line of an error`() {
        let notes = run("a\nb\u{1B}[31m").notes
        #expect(notes.count { $0 == "\n" } == 1)
        #expect(!notes.contains("\u{1B}"))
        #expect(notes.contains("a\\nb\\u{001B}[31m") || notes.contains("a\\nb\\u{1B}[31m"), "\(notes)")
    }

    @Test func `a standard output that cannot be written is a failure`() {
        let recorded = RecordedConsole()
        recorded.failure = ENOSPC
        #expect(LarderTool.run(["--version"], console: recorded.console()) == .failure)
        #expect(recorded.notes.hasPrefix("larder: standard output cannot be written (No space left on device); "))
    }

    @Test func `a reader that has read enough is told nothing`() {
        let recorded = RecordedConsole()
        recorded.failure = EPIPE
        #expect(LarderTool.run(["--version"], console: recorded.console()) == .readerGone)
        #expect(recorded.notes.isEmpty)
    }
}
