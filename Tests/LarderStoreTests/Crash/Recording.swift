import Foundation
import LarderStore
import TestSupport

/// A store's whole life as its disk saw it, and what its process had been promised at each moment.
struct Recording {
    let durability: Durability
    let workload: CrashWorkload
    let operations: Range<Int>
    /// What was there before: the disk, and the state its files hold.
    let initial: SimulatedDisk
    let before: CrashState
    let events: [WriteLog.Event]
    let report: CrashReport

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
        initial = earlier?.disk ?? SimulatedDisk()
        let log = directory + ".log"
        let process = try CrashProcess(directory, durability, workload, operations, ending: ending, log: log)
        report = process.finish()
        before = report.state
        events = try WriteLog(path: log).events
        try FileManager.default.removeItem(atPath: log)
    }

    /// The state after all operations.
    var after: CrashState {
        operations.reduce(into: before) { $0.apply($1, of: workload) }
    }

    /// The disk as the process left it.
    var disk: SimulatedDisk {
        events.reduce(into: initial) { $0.apply($1) }
    }

    /// How many operations a power loss in front of event `cut` must have left.
    func promise(at cut: Int, by durability: Durability) -> Int {
        var flushed = operations.lowerBound
        var covered = flushed
        var atCheckpoint = flushed
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
            case .syncEnd("CHECKPOINT") where durability == .checkpointed:
                // Another flush may have come after the pages were pinned, but not after the next ones are.
                covered = atCheckpoint
                atCheckpoint = flushed
            default:
                break
            }
        }
        return covered
    }
}
