internal import Glibc

/// Both tiers at work, step by step; each claim is checked, so that a demonstration that ends well proves them.
struct Demonstration {
    /// The workload, from its beginning.
    let openSource: () throws -> any RequestSource

    /// The cache, each time over the same directory.
    let openSubject: () throws -> any ReplaySubject

    /// Sends the process the signal for memory pressure.
    let sendSignal: () -> Void

    let console: Console

    /// How many requests show that hits are promoted again after the signal.
    private static let samples = 2_000

    func run() throws {
        let filled = try fill()
        let subject = try openSubject()
        do {
            try serveAgain(subject, filled)
            try giveMemoryBack(subject)
        } catch {
            try? subject.close()
            throw error
        }
        try subject.close()
    }

    private func fill() throws -> TierCounts {
        let subject = try openSubject()
        do {
            try console.print("1. An empty cache is filled.\n\n")
            let report = try serve(subject)
            try console.print(report.table)
            try check(report.tally.misses > 0 && report.counts.diskEntries > 0, "the first pass stored nothing on disk")
            try subject.close()
            return report.counts
        } catch {
            try? subject.close()
            throw error
        }
    }

    private func serveAgain(_ subject: any ReplaySubject, _ filled: TierCounts) throws {
        try console.print("\n2. The cache is closed and opened again: memory is empty, the disk is not.\n\n")
        let opened = try subject.counts()
        try console.print(Self.describe(opened))
        try check(opened.diskEntries == filled.diskEntries, "the disk tier lost entries when it was reopened")
        let report = try serve(subject)
        try console.print("\n" + report.table)
        try check(report.tally.misses == 0, "the second pass missed although the disk held everything")
        try check(report.tally.diskHits > 0, "the second pass was not served from disk")
        try check(report.counts.memoryEntries > 0, "hits on disk were not promoted into memory")
    }

    private func giveMemoryBack(_ subject: any ReplaySubject) throws {
        let before = try subject.counts()
        try console.print("\n3. The process sends itself SIGUSR1: memory goes, the disk stays.\n\n")
        try console.print("before   " + Self.describe(before))
        sendSignal()
        let after = try waitForEmptyMemory(subject)
        try console.print("after    " + Self.describe(after))
        try check(after.diskEntries == before.diskEntries, "the disk tier did not stay whole")

        try console.print(
            "\n4. The same \(NumberFormat.grouped(Self.samples)) requests twice: from disk, then promoted.\n\n"
        )
        let first = try serve(subject, limit: Self.samples)
        try console.print("first    " + Self.describe(first.tally))
        let second = try serve(subject, limit: Self.samples)
        try console.print("second   " + Self.describe(second.tally))
        try check(first.tally.misses == 0 && first.tally.diskHits > 0, "hits after the signal did not come from disk")
        try check(first.counts.memoryEntries > 0, "hits after the signal were not promoted again")
    }

    private func serve(_ subject: any ReplaySubject, limit: Int? = nil) throws -> ReplayReport {
        var progress = ProgressLine(console)
        let source = try openSource()
        var pass = ReplayPass(source, cost: .size, length: .fixed(64), limit: limit)
        defer { progress.finish() }
        pass.onProgress = { progress.update($0, fractionDone: $1) }
        let tally = try subject.serve(&pass)
        guard !tally.wasInterrupted else {
            throw ToolError(status: .interrupted, message: "interrupted after \(tally.requests) requests of a pass")
        }
        try check(tally.wrongValues == 0, "\(tally.wrongValues) hits had a wrong value")
        return ReplayReport(
            workload: ReplayWorkload(name: source.name, limit: limit, cost: .size, valueSize: 64),
            cache: subject.cacheDescription,
            tally: tally,
            counts: try subject.counts()
        )
    }

    /// The signal arrives on another thread, at its own time.
    private func waitForEmptyMemory(_ subject: any ReplaySubject) throws -> TierCounts {
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: .seconds(10))
        while true {
            let counts = try subject.counts()
            if counts.memoryEntries == 0 { return counts }
            try check(clock.now < end, "memory was not emptied within 10 s of the signal")
            usleep(1_000)
        }
    }

    private func check(_ holds: Bool, _ failure: String) throws(ToolError) {
        guard holds else { throw .failure("the demonstration failed: \(failure); please report it") }
    }

    private static func describe(_ counts: TierCounts) -> String {
        "memory \(NumberFormat.grouped(counts.memoryEntries)) entries, "
            + "disk \(NumberFormat.grouped(counts.diskEntries)) entries\n"
    }

    private static func describe(_ tally: ReplayTally) -> String {
        "\(NumberFormat.grouped(tally.diskHits)) hits on disk, \(NumberFormat.grouped(tally.memoryHits)) in memory, "
            + "\(NumberFormat.grouped(tally.misses)) misses\n"
    }
}
