internal import LMDB
internal import Threading

/// A store that others have open, kept as it was at one commit while it is looked at.
///
/// The engine is open for the sake of one reader, which keeps the pages of that commit from being used again, so that they
/// can be read from the file as those of a closed store are. Neither waits for a commit of the others nor makes one; what
/// they free meanwhile takes space in the file until this object's end.
final class JoinedSnapshot: Sendable {
    private struct Engine {
        let environment: Environment
        let snapshot: PinnedSnapshot
    }

    /// Leads to the commit.
    let root: MetaPage
    private let directory: StoreDirectory
    private let lock: OwnerLock
    private let engine: Lock<Engine?>

    /// Takes a lock that was taken beside others, and lets them open and close the store again.
    init(_ directory: StoreDirectory, _ lock: OwnerLock) throws(StoreError) {
        defer { lock.share() }
        // LMDB must not have one environment open twice in a process.
        guard !StoreRegistry.shared.contains(directory.identity) else {
            throw StoreError(
                .inUse,
                "The store at \(directory.path) is open in this process: use that, or close it first"
            )
        }
        let turns = try EngineTurns(directory)
        try turns.requireFree(.takingReader, path: directory.path)
        do throws(LMDBError) {
            let environment = try Environment(
                directory: directory.enginePath(),
                options: StoreConfiguration(multiProcess: true).environmentOptions(joiningMapOfOthers: true)
            )
            let snapshot = try turns.takeReader { () throws(LMDBError) in try PinnedSnapshot(environment) }
            root = snapshot.metaPage
            engine = Lock(Engine(environment: environment, snapshot: snapshot))
        } catch {
            throw .engine(error, path: directory.path, doing: "joining the processes that share it")
        }
        self.directory = directory
        self.lock = lock
    }

    deinit {
        // All others may have closed the store meanwhile, and left it to this one to say so. None of them opens or closes it
        // for longer than a moment while this one has it.
        let isLast = lock.beginClosing(deadline: .after(.seconds(1)))
        let engine = engine.withLock { $0.take() }
        guard isLast, let state = engine.flatMap({ closedState($0.environment) }) else { return }
        try? directory.replace(StateFile.name, with: state.encoded)
    }

    /// That the store is closed in order, unless one of the others has found damage.
    private func closedState(_ environment: Environment) -> StateFile? {
        guard var state = directory.state, !state.isClean, !state.isSuspect,
            (try? environment.synchronize()) != nil
        else { return nil }
        state.isClean = true
        state.describe(environment.statistics, MetaNote(metaBytes: environment.metaBytes))
        return state
    }
}
