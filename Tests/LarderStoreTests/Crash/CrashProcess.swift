import Foundation
import Glibc
import LarderStore
import TestSupport

/// The crash helper at work on a store: a process that may be killed, and that does not take the tests with it if it dies.
final class CrashProcess {
    enum Ending: String {
        case abandon
        case close
        case probe
    }

    private let process = Process()
    private var output = SpokenLines()
    private var report = CrashReport()

    init(
        _ directory: String,
        _ durability: Durability,
        _ workload: CrashWorkload,
        _ operations: Range<Int> = 0..<0,
        ending: Ending,
        log: String? = nil
    ) throws {
        process.executableURL = HelperProcess.executable
        let seed = workload.seed &- UInt64(workload.member ?? 0)
        process.arguments =
            [directory, durability.rawValue, "\(seed)", "\(operations.lowerBound)", "\(operations.count)"]
            + [ending.rawValue] + (log.map { [$0] } ?? []) + (workload.member.map { ["member", "\($0)"] } ?? [])
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output.pipe
        // What LMDB says before it aborts would only clutter the tests' output; the signal tells enough.
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    /// Reads on until something was flushed or the process has ended; returns whether it goes on.
    func readToFlush() -> Bool {
        while let line = output.next() {
            report.note(line)
            if line.hasPrefix("flushed") { return true }
        }
        return false
    }

    /// Ends it as the system would.
    func kill() {
        Glibc.kill(process.processIdentifier, SIGKILL)
    }

    /// Reads the rest, waits for the end, and returns all that was said.
    func finish() -> CrashReport {
        while let line = output.next() { report.note(line) }
        process.waitUntilExit()
        report.status = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
        return report
    }
}

/// What a helper found at its opening, and how far it came.
struct CrashReport {
    /// The exit status; the negated number of the signal that ended it.
    var status: Int32 = 0
    var isIntact = false
    /// Whether it came so far as to say what it found.
    var isDescribed = false
    /// Why the store started empty, if it did.
    var recovery: String?
    var recoveryDetail: String?
    var state = CrashState()
    var counts: [Int: Int] = [:]
    var wrong: [String] = []
    var damaged = 0
    var flushed: Int?
    var failure: String?
    var isClosed = false

    mutating func note(_ line: String) {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        let numbers = (words.last ?? "").split(separator: " ").compactMap { Int($0) }
        switch (words[0], numbers.count) {
        case ("intact", _): isIntact = true
        case ("recovered", _):
            recovery = words.last?.split(separator: " ").first.map(String.init)
            recoveryDetail = words.last
        case ("holds", 3) where numbers[2] < 0: wrong.append(line)
        case ("holds", 3): state.note(numbers[2], at: CrashWorkload.Place(table: numbers[0], key: numbers[1]))
        case ("counts", 2): counts[numbers[0]] = numbers[1]
        case ("damaged", 1):
            damaged = numbers[0]
            isDescribed = true
        case ("flushed", 1): flushed = numbers[0]
        case ("closed", _): isClosed = true
        default: failure = line
        }
    }

    /// What cannot be right, whatever happened before; `nil` if nothing.
    var flaw: String? {
        if status < 0 { return "died of signal \(-status)" }
        if let failure { return failure }
        if status > 0 { return "ended with status \(status)" }
        if !wrong.isEmpty { return "wrong values: \(wrong)" }
        if recovery != nil, !state.numbers.isEmpty { return "starts empty, but holds something" }
        return nil
    }

    /// The same, when nothing can have been damaged.
    var inconsistency: String? {
        if let flaw { return flaw }
        if damaged > 0 { return "\(damaged) records are damaged" }
        for (table, count) in counts where count != state.numbers.count(where: { $0.key.table == table }) {
            return "table \(table) counts \(count) records and has another number"
        }
        return nil
    }
}
