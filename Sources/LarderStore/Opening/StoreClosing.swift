internal import LMDB
internal import Threading

/// Runs the writer and, when it is done, closes the store in the one order that is safe.
///
/// On the writer's own thread, so that a store that is just let go of closes as well as one that is told to.
final class StoreClosing: Sendable {
    private let core: StoreCore
    private let directory: StoreDirectory
    private let lock: Lock<OwnerLock?>
    private let judgement: StoreOpening.Judgement

    init(core: StoreCore, directory: StoreDirectory, lock: OwnerLock, _ judgement: StoreOpening.Judgement) {
        self.core = core
        self.directory = directory
        self.lock = Lock(lock)
        self.judgement = judgement
    }

    /// What is known once the environment is closed.
    private struct Outcome {
        var failure: StoreError?
        var isSuspect: Bool
        var isClean = false
        /// Whether no other process has the store open.
        let isLast: Bool
        /// Nothing was committed and no damage met: STATE is true as it is.
        var isNoted: Bool
        var hidden: HiddenRecords
        var statistics: EnvironmentStatistics
        var metas: MetaNote?
        weak var environment: Environment?
    }

    /// Takes the engine out of `holder` and works with it until the store is closed.
    func runWriter(_ holder: Lock<StoreEngine?>) {
        guard let outcome = work(holder) else { return }
        // A reader that did not end in time keeps the environment open for good, and with it the directory taken.
        if outcome.environment == nil {
            if !outcome.isNoted { note(outcome) }
            release()
        } else {
            // Other processes that share the store may go on opening and closing it.
            lock.withLock { $0 }?.share()
        }
        core.queue.finish(error: outcome.failure)
    }

    /// A function of its own: nothing of the environment is held when it returns, so by then it is closed.
    private func work(_ holder: Lock<StoreEngine?>) -> Outcome? {
        guard let (environment, end) = write(holder) else { return nil }
        let areReadersDone = core.readers.close(deadline: .after(max(core.configuration.closeDeadline, .seconds(1))))
        // From here on nobody else opens the store, and if it is open nowhere else nothing is committed any more.
        let isLast = lock.withLock { $0 }?.beginClosing(deadline: .after(core.configuration.closeDeadline)) ?? true
        var outcome = Outcome(
            failure: end.failure,
            isSuspect: end.isSuspect,
            isLast: isLast,
            isNoted: !end.isAnnounced && !end.isSuspect,
            hidden: end.hidden,
            statistics: environment.statistics,
            environment: environment
        )
        guard !outcome.isNoted else { return outcome }
        do throws(LMDBError) {
            try environment.synchronize()
            outcome.isClean = areReadersDone && !end.isSuspect
        } catch {
            outcome.isSuspect = end.isSuspect || error.isDamage
            outcome.failure = end.failure ?? .engine(error, path: core.path, doing: "the last synchronisation")
        }
        outcome.statistics = environment.statistics
        outcome.metas = MetaNote(metaBytes: environment.metaBytes)
        return outcome
    }

    /// Returns the environment the writer ended with: compaction, for one, moves a store to another one.
    private func write(_ holder: Lock<StoreEngine?>) -> (Environment, Writer.End)? {
        guard var writer = Writer(core: core, engine: holder, directory: directory) else { return nil }
        let end = writer.run(
            compactsFirst: judgement.isAsClosed && core.sharing == nil,
            checksPages: judgement.isUnread && core.faults.checksInBackground
        )
        return (writer.environment, end)
    }

    private func note(_ outcome: Outcome) {
        // Whoever is left goes on with a store that is open; that this one found damage is not forgotten.
        guard outcome.isLast || outcome.isSuspect else { return }
        let isSuspect = outcome.isSuspect || core.sharing != nil && isSuspected
        let isClean = outcome.isLast && outcome.isClean && !isSuspect
        var state = StateFile(isClean: isClean, durability: core.configuration.durability)
        state.isSuspect = isSuspect
        // Of a record that one process hides another may have committed a newer one since.
        if core.sharing == nil { state.hidden = outcome.hidden }
        state.describe(outcome.statistics, outcome.metas)
        if isClean, core.sharing == nil { core.sketch.save(in: directory, seed: core.records.seed) }
        // Without the note the next opening checks the file instead.
        try? directory.replace(StateFile.name, with: state.encoded)
    }

    /// Whether a process that has closed the store before this one had found damage.
    private var isSuspected: Bool { directory.state?.isSuspect ?? true }

    private func release() {
        lock.withLock { $0 = nil }
        StoreRegistry.shared.remove(directory.identity)
    }
}
