internal import Glibc
internal import LMDB
internal import Threading

/// Sees to it that a store whose commits nothing syncs can go back to a recent one of them after power loss.
///
/// A checkpoint pins the newest snapshot, so that no later commit overwrites its pages; syncs the file on another thread,
/// while commits go on; and notes the snapshot's meta page in a file of its own. Only then is the checkpoint before it let
/// go. LMDB's own meta pages are worth nothing after power loss: they move on with every commit.
///
/// Belongs to the writer thread.
final class Checkpointer {
    /// The commits that may run ahead of a checkpoint that is being made, in units of what calls for one.
    private static let lead = 4

    private struct Running {
        let snapshot: PinnedSnapshot
        let place: Int
        let outcome: Lock<Outcome?>
        /// `nil` if it was made right away, for want of a thread.
        let thread: OSThread?
    }

    private enum Outcome: Sendable {
        case done
        /// The data may not be on the disk, and the system may have given up on it: no later sync proves anything.
        case unsynced(LMDBError)
        /// The data is on the disk, but the note of it is not.
        case unnoted(LMDBError)
    }

    private let file: CheckpointFile
    private let settings: StoreConfiguration.Checkpoint
    private let faults: StoreFaults
    private var environment: Environment
    /// The snapshot of the newest checkpoint that is on the disk.
    private var kept: PinnedSnapshot
    private var running: Running?
    private var sequence: UInt64
    private var nextPlace: Int
    /// What was written since the last checkpoint began.
    private var dirtied = 0
    private var hasFailed = false
    private var due = Deadline.never

    /// When the writer has to look in here again, if nothing else happens.
    var wakeup: Deadline {
        // One that is running is asked soon: until it is settled, the one before it holds pages back.
        running == nil ? due : .after(.milliseconds(2))
    }

    /// The checkpoints that were completed.
    private(set) var count: UInt64 = 0

    /// Makes the first checkpoint and returns when it is on the disk: no commit may come before that.
    init(
        _ environment: Environment,
        _ directory: StoreDirectory,
        _ settings: StoreConfiguration.Checkpoint,
        _ faults: StoreFaults
    ) throws(StoreError) {
        file = try CheckpointFile(directory)
        self.environment = environment
        self.settings = settings
        self.faults = faults
        let newest = CheckpointFile.records(in: directory).first
        sequence = (newest?.record.sequence ?? 0) + 1
        let place = newest.map { ($0.place + 1) % CheckpointFile.places } ?? 0
        nextPlace = (place + 1) % CheckpointFile.places
        do throws(LMDBError) {
            kept = try PinnedSnapshot(environment)
            try environment.synchronize()
            try file.write(record(of: kept, in: environment), to: place)
        } catch {
            throw .engine(error, path: directory.path, doing: "making the first checkpoint")
        }
    }

    deinit {
        running?.thread?.join()
    }

    /// Takes note of a commit that wrote about `bytes`, and begins a checkpoint when it is time.
    ///
    /// Blocks only if commits have run too far ahead. Throws what keeps checkpoints from being made, once.
    func committed(bytes: Int) throws(LMDBError) {
        guard !hasFailed else { return }
        dirtied += bytes
        if due == .never { due = .after(settings.interval) }
        if dirtied >= settings.bytes.bytes { due = .after(.zero) }
        try advance(waits: dirtied / Self.lead >= settings.bytes.bytes)
    }

    /// Ends a checkpoint that is complete, or waits for it, and begins the next one if it is time.
    func advance(waits: Bool = false) throws(LMDBError) {
        if let running, let outcome = outcome(of: running, waits: waits) {
            self.running = nil
            try settle(running, outcome)
        }
        guard running == nil, !hasFailed, due.hasPassed else { return }
        try begin()
    }

    private func outcome(of running: Running, waits: Bool) -> Outcome? {
        if waits { running.thread?.join() }
        guard let outcome = running.outcome.withLock({ $0 }) else { return nil }
        running.thread?.join()
        return outcome
    }

    private func settle(_ running: Running, _ outcome: Outcome) throws(LMDBError) {
        switch outcome {
        case .done:
            kept = running.snapshot
            nextPlace = (running.place + 1) % CheckpointFile.places
            count += 1
        case .unnoted:
            // The other place still holds the checkpoint that is kept; this one is tried again.
            due = .earlier(due, .after(settings.interval))
        case .unsynced(let error):
            hasFailed = true
            due = .never
            throw error
        }
    }

    private func begin() throws(LMDBError) {
        dirtied = 0
        due = .never
        sequence += 1
        let snapshot: PinnedSnapshot
        do throws(LMDBError) {
            snapshot = try PinnedSnapshot(environment)
        } catch {
            due = .after(settings.interval)
            throw error
        }
        let record = record(of: snapshot, in: environment)
        let outcome = Lock<Outcome?>(nil)
        let work = { @Sendable [environment, file, nextPlace, faults] in
            let result = Self.complete(record, environment, file, nextPlace, faults)
            outcome.withLock { $0 = result }
        }
        let thread: OSThread?
        do throws(OSThreadError) {
            thread = try OSThread(work)
        } catch {
            work()
            thread = nil
        }
        running = Running(snapshot: snapshot, place: nextPlace, outcome: outcome, thread: thread)
    }

    private func record(
        of snapshot: PinnedSnapshot,
        in environment: Environment,
        isOfCopy: Bool = false
    ) -> CheckpointRecord {
        CheckpointRecord(
            sequence: sequence,
            isOfCopy: isOfCopy,
            inode: environment.statistics.inode,
            page: snapshot.metaPage
        )
    }

    private static func complete(
        _ record: CheckpointRecord,
        _ environment: Environment,
        _ file: CheckpointFile,
        _ place: Int,
        _ faults: StoreFaults
    ) -> Outcome {
        if let fault = faults.beforeCheckpoint?() {
            return .unsynced(LMDBError(call: "mdb_env_sync", result: fault.result))
        }
        do throws(LMDBError) { try environment.synchronize() } catch { return .unsynced(error) }
        do throws(LMDBError) { try file.write(record, to: place) } catch { return .unnoted(error) }
        return .done
    }

    // MARK: Moving to a compacted copy

    /// Notes a copy that is about to take the data file's place, and is synced already.
    ///
    /// Until `adopt` the note before it stays, and the copy's is passed over if the file turns out to be the original.
    func prepare(_ copy: Environment) throws(LMDBError) -> PinnedSnapshot {
        // One that is running is ended, and none begun after it.
        due = .never
        try advance(waits: true)
        guard !hasFailed else { throw LMDBError(call: "fdatasync", result: EIO) }
        sequence += 1
        let snapshot = try PinnedSnapshot(copy)
        try file.write(record(of: snapshot, in: copy, isOfCopy: true), to: nextPlace)
        return snapshot
    }

    /// Goes on with the copy; its name is on the disk.
    func adopt(_ copy: Environment, _ snapshot: PinnedSnapshot) {
        environment = copy
        kept = snapshot
        nextPlace = (nextPlace + 1) % CheckpointFile.places
        due = .never
        dirtied = 0
    }
}
