import Testing

@testable import LarderTool

struct ProgressLineTests {
    private func tally(at nanoseconds: UInt64) -> ReplayTally {
        var tally = ReplayTally()
        tally.misses = 1_000
        tally.nanoseconds = nanoseconds
        return tally
    }

    @Test func `the line is drawn at most ten times a second and wiped at the end`() {
        let recorded = RecordedConsole()
        var line = ProgressLine(recorded.console(showsProgress: true))
        for step in 1...50 { line.update(tally(at: UInt64(step) * 10_000_000), fractionDone: 0.5) }
        line.finish()
        let drawn = recorded.notes.split(separator: "\r")
        #expect(drawn.count == 6)
        #expect(drawn[0] == "50.00 %, 1,000 requests, hit ratio 0.00 %, 10,000 operations/s\u{1B}[K")
        #expect(drawn.last == "\u{1B}[K")
        #expect(recorded.results.isEmpty)
    }

    @Test func `without a terminal there is none`() {
        let recorded = RecordedConsole()
        var line = ProgressLine(recorded.console())
        line.update(tally(at: 1_000_000_000), fractionDone: nil)
        line.finish()
        #expect(recorded.notes.isEmpty)
    }
}
