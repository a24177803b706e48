/// The line that a terminal shows while a replay runs.
struct ProgressLine {
    /// Redrawn ten times a second at most: a terminal is slower than a cache.
    private static let interval: UInt64 = 100_000_000

    private let console: Console
    private var lastDrawn: UInt64 = 0

    init(_ console: Console) {
        self.console = console
    }

    mutating func update(_ tally: ReplayTally, fractionDone: Double?) {
        guard console.showsProgress, tally.nanoseconds >= lastDrawn &+ Self.interval else { return }
        lastDrawn = tally.nanoseconds
        let done = fractionDone.map { NumberFormat.percent(min($0, 1)) + ", " } ?? ""
        console.showProgress(
            "\(done)\(NumberFormat.grouped(tally.requests)) requests, "
                + "hit ratio \(NumberFormat.percent(tally.hitRatio)), "
                + "\(NumberFormat.grouped(Int(clamping: tally.operationsPerSecond))) operations/s"
        )
    }

    /// Leaves the line empty for what follows.
    func finish() {
        console.showProgress("")
    }
}
