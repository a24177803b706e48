import Foundation
import LarderStore
import TestSupport

/// A store's whole life as its disk saw it, and what its process had been promised at each moment.
struct Recording {
    let durability: Durability
    let workload: CrashWorkload
    let operations: Range<Int>
    /// All operations since the state `before`, those of the earlier recording included.
    let history: Range<Int>
    let before: CrashState
    let events: [WriteLog.Event]
    let report: CrashReport
    /// What was on the disk before, and how many operations of the history were safe there.
    let initial: SimulatedDisk
    private let safe: Int

    /// Lets a process carry out `operations` in a store at `directory`, and records it.
    ///
    /// The store is new, or the one an `earlier` recording left, with all that was not synced then.
    init(
        at directory: String,
        _ durability: Durability,
        _ workload: CrashWorkload,
        _ operations: Range<Int>,
        after earlier: Recording? = nil,
        ending: CrashProcess.Ending
    ) throws {
        self.durability = durability
        self.workload = workload
        self.operations = operations
        history = (earlier?.history ?? operations).lowerBound..<operations.upperBound
        before = earlier?.before ?? CrashState()
        initial = earlier?.disk ?? SimulatedDisk()
        safe = earlier.map { $0.promise(at: $0.events.count, by: $0.durability) } ?? operations.lowerBound
        (report, events) = try Self.run(directory, durability, workload, operations, ending)
    }

    /// Puts the files a power loss has left into `directory`, and goes on as the other initializer does.
    init(
        at directory: String,
        holding contents: [String: [UInt8]],
        _ durability: Durability,
        _ workload: CrashWorkload,
        _ operations: Range<Int>
    ) throws {
        self.durability = durability
        self.workload = workload
        self.operations = operations
        history = operations
        initial = SimulatedDisk(durable: contents)
        safe = operations.lowerBound
        try SimulatedDisk.write(contents, to: directory)
        (report, events) = try Self.run(directory, durability, workload, operations, .close)
        before = report.state
    }

    private static func run(
        _ directory: String,
        _ durability: Durability,
        _ workload: CrashWorkload,
        _ operations: Range<Int>,
        _ ending: CrashProcess.Ending
    ) throws -> (CrashReport, [WriteLog.Event]) {
        let log = directory + ".log"
        let process = try CrashProcess(directory, durability, workload, operations, ending: ending, log: log)
        let report = process.finish()
        let events = try WriteLog(path: log).events
        try FileManager.default.removeItem(atPath: log)
        return (report, events)
    }

    /// The state after all operations.
    var after: CrashState {
        history.reduce(into: before) { $0.apply($1, of: workload) }
    }

    /// The disk as the process left it.
    var disk: SimulatedDisk {
        var disk = initial
        for event in events { disk.apply(event) }
        disk.endProcess()
        return disk
    }

    /// How many operations a power loss in front of event `cut` must have left.
    func promise(at cut: Int, by durability: Durability) -> Int {
        var flushed = safe
        var covered = safe
        var atCheckpoint = flushed
        var isOfCopy = false
        var syncBegan: [String: Int] = [:]
        for event in events[..<cut] {
            switch event {
            case .mark(WriteLog.closed):
                covered = operations.upperBound
            case .mark(let number):
                flushed = number
                if durability == .strict { covered = number }
            case .syncBegin(let name):
                syncBegan[name] = flushed
            case .syncEnd("data.mdb") where durability == .commit:
                // The meta page of a commit reaches the disk with the next commit's data.
                covered = syncBegan["data.mdb"] ?? covered
            case .rename(_, to: "STATE") where durability == .fast:
                // From here on it may have to start empty.
                covered = history.lowerBound
            case .write("CHECKPOINT", _, let bytes, _):
                isOfCopy = bytes[bytes.startIndex + 24] == 1
            case .syncEnd("CHECKPOINT") where durability == .checkpointed && !isOfCopy:
                // Another flush may have come after the pages were pinned, but not after the next ones are. That of a copy
                // counts only once the copy has taken the file's place, which the next one proves.
                covered = atCheckpoint
                atCheckpoint = flushed
            default:
                break
            }
        }
        return covered
    }
}
