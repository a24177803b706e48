import TestSupport

/// What a process that carried out a workload, and may have been killed, can have left to the next one.
struct LeftBehind {
    private var before = CrashState()
    private(set) var operations = 0..<0
    private var flushed = 0
    private(set) var wasEverFlushed = false

    /// Why the next process cannot have found what it did; `nil` if it can.
    func flaw(in report: CrashReport, _ workload: CrashWorkload) -> String? {
        let ends = before.ends(of: operations, in: workload, reaching: report.state)
        guard let end = ends.last else { return "is in no state that \(operations) passed through" }
        return end < flushed ? "is at \(ends), had flushed \(flushed)" : nil
    }

    /// Goes on to what the next process leaves, which has begun with these operations.
    mutating func note(_ report: CrashReport, _ operations: Range<Int>) {
        before = report.state
        self.operations = operations
        flushed = report.flushed ?? operations.lowerBound
        wasEverFlushed = wasEverFlushed || report.flushed != nil
    }
}
