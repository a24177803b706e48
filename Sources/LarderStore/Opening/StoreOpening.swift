internal import Glibc
internal import LMDB
internal import Threading

/// The steps from a path to a running store.
struct StoreOpening {
    let directory: StoreDirectory
    let configuration: StoreConfiguration
    let clock: WallClock
    let events: StoreEvents
    let faults: StoreFaults
    /// For a tool: files that must not be mapped are left with an error, and it waits for no process that shares the store.
    var isMaintenance = false

    /// Locks, judges and opens the files, and starts the writer.
    func open() throws(StoreError) -> Store {
        ForkGuard.install()
        let lock = try OwnerLock(
            directory,
            isShared: configuration.multiProcess,
            deadline: patience,
            // Others go on having it open when the tool has ended.
            signs: !isMaintenance || !configuration.multiProcess
        )
        try directory.checkFiles()
        guard lock.isFirst else { return try join(lock) }
        directory.removeCompaction()
        var judgement = try judge()
        var opened: Opened
        do throws(StoreError) {
            opened = try openEngine(judgement)
        } catch {
            guard let cause = error.cause as? LMDBError, cause.isDamage else { throw error }
            judgement = Judgement(try setAside(.damaged, "the engine refuses the data file: \(cause)"))
            opened = try openEngine(judgement)
        }
        if case .unusable(let reason, let detail) = opened {
            // The environment is closed by now, so that its files can move.
            judgement = Judgement(try setAside(reason, detail))
            opened = try openEngine(judgement)
        }
        guard case .usable(let engine, let records, let ledger) = opened else {
            throw StoreError(
                .storageFailed,
                "A fresh store at \(directory.path) reads back wrongly: look for a failing disk or memory"
            )
        }
        return try start(engine, records, ledger, lock, judgement)
    }

    /// How long another process may take to open or close a store that is shared.
    private var patience: Deadline { .after(isMaintenance ? .zero : configuration.closeDeadline + .seconds(5)) }

    private func failure(_ error: LMDBError) -> StoreError {
        .engine(error, path: directory.path, doing: "opening it")
    }

    // MARK: The engine

    enum Opened {
        case usable(StoreEngine, RecordStore, Ledger)
        case unusable(StoreRecovery.Reason, String)
    }

    /// With `joins`, other processes have the engine open.
    func openEngine(_ judgement: Judgement, joins: Bool = false) throws(StoreError) -> Opened {
        let isNew = directory.status(of: "data.mdb") == nil
        let makesCheckpoints = configuration.durability == .checkpointed
        // What was closed in order stays exactly that until the writer has something to commit, and announces it.
        // Several processes have it said by the first, so that whoever joins need not know whether one has committed.
        let isAnnounced = isNew || !judgement.isAsClosed || configuration.multiProcess
        // Until there is a checkpoint to go back to, what STATE says must go on being true; of a new file it says nothing.
        if !joins, isAnnounced, isNew || !makesCheckpoints {
            try directory.announce(configuration.durability, hiding: HiddenRecords(judgement.hidden))
        }
        let turns = configuration.multiProcess ? try EngineTurns(directory) : nil
        if isMaintenance, let turns {
            try turns.requireFree(.takingReader, path: directory.path)
            try turns.requireFree(.writing, path: directory.path)
        }
        let environment: Environment
        do throws(LMDBError) {
            environment = try Environment(
                directory: directory.enginePath(),
                options: configuration.environmentOptions(faults, joiningMapOfOthers: joins && isMaintenance)
            )
            try turns.takeReader { () throws(LMDBError) in
                try environment.clearStaleReaders()
                if configuration.multiProcess { try environment.read { (_) throws(LMDBError) in } }
            }
        } catch {
            // Readers are told apart by the number of their process.
            if configuration.multiProcess, error.code == .busy { throw sameProcessNumber(error) }
            throw failure(error)
        }
        // What is promised of the file's content holds only once its name is on the disk too.
        if isNew { directory.synchronize() }
        // The first of several processes removes what is hidden before there is a second.
        let removed = configuration.multiProcess ? judgement.hidden : []
        let engine = StoreEngine(
            environment: environment,
            turns: turns,
            isAnnounced: isAnnounced,
            hidden: judgement.hidden.subtracting(removed)
        )
        if isAnnounced, makesCheckpoints {
            engine.checkpointer = try Checkpointer(environment, directory, configuration.checkpoint, faults)
            if !isNew { try directory.announce(configuration.durability, hiding: HiddenRecords(judgement.hidden)) }
        }
        let opened: Opened
        do throws(LMDBError) {
            opened = try turns.write { () throws(LMDBError) -> Opened in
                try environment.write { (transaction) throws(LMDBError) -> Opened in
                    try prepare(engine, removing: removed, joins: joins, &transaction)
                }
            }
        } catch {
            throw failure(error)
        }
        // They may be written again from here on, and must not be hidden after a crash then.
        if !removed.isEmpty { try directory.announce(configuration.durability) }
        return opened
    }

    /// Opens every database in the first transaction, and reads or makes the ledger.
    private func prepare(
        _ engine: StoreEngine,
        removing hidden: Set<RecordHash>,
        joins: Bool,
        _ transaction: inout WriteTransaction
    ) throws(LMDBError) -> Opened {
        let databases = try StoreDatabases(opening: &transaction)
        let stored = try transaction.withValue(forKey: RecordStore.ledgerKey, in: databases.meta) { $0.array }
        var ledger: Ledger
        switch stored.map(Ledger.read) {
        case .ledger(let found)?:
            ledger = found
        case .otherVersion(let version)?:
            return .unusable(.otherVersion, "the store's ledger has version \(version)")
        case .damaged?:
            return .unusable(.damaged, "the store's ledger is damaged")
        case nil:
            guard try transaction.statistics(of: databases.data).entries == 0 else {
                return .unusable(.damaged, "the store's ledger is missing")
            }
            ledger = Ledger(seed: .random(in: 1 ... .max))
        }
        if try isBehind(ledger, databases.data, transaction) {
            return .unusable(.damaged, "there are records beyond the ledger's last one")
        }
        let found = ledger
        let extensions = ledger.attach([ExpiryOrder()], in: databases.extensionData)
        let records = RecordStore(
            databases: databases,
            seed: HashSeed(value: ledger.seed),
            extensions: extensions
        )
        guard !joins || ledger == found else {
            return .unusable(.otherVersion, "the processes that have it open use another version of the library")
        }
        var changes = RecordChanges(ledger)
        for hash in hidden { try records.remove(hash, &transaction, &changes) }
        try records.settle(&transaction, &changes)
        // A change of the extensions alone is not worth a commit: the next one saves it. A transaction that writes
        // nothing, as that of a store closed before, leaves the file as it is.
        let writes = stored == nil || (engine.isAnnounced && changes.ledger != found) || !hidden.isEmpty
        if writes { try records.save(changes.ledger, &transaction) }
        engine.snapshot = transaction.number - (writes ? 0 : 1)
        return .usable(engine, records, changes.ledger)
    }

    /// Whether there are records the ledger does not know: appending below them would fail for ever.
    private func isBehind(
        _ ledger: Ledger,
        _ data: Database,
        _ transaction: borrowing WriteTransaction
    ) throws(LMDBError) -> Bool {
        let last = try transaction.withCursor(in: data) { (cursor) throws(LMDBError) -> UInt64 in
            guard try cursor.move(.last) else { return 0 }
            return cursor.withEntry { key, _ in key.load(UInt64.self, at: 0) }
        }
        return last >= RecordPlace(ledger.nextSequence).pack
    }

    // MARK: Starting

    func start(
        _ engine: StoreEngine,
        _ records: RecordStore,
        _ ledger: Ledger,
        _ lock: OwnerLock,
        _ judgement: Judgement
    ) throws(StoreError) -> Store {
        let core = StoreCore(
            path: directory.path,
            configuration: configuration,
            clock: clock,
            events: events,
            faults: faults,
            records: records,
            readers: ReaderPool(engine.environment, count: configuration.readerLimit, turns: engine.turns),
            ledger: ledger,
            snapshot: engine.snapshot,
            recovery: judgement.recovery,
            setsAside: !isMaintenance
        )
        core.published.withLock { published in
            published.mapBytes = engine.environment.mapBytes
            published.hidden = engine.hidden.count
        }
        // Before anyone can read.
        core.queue.hide(engine.hidden.map { WriteOperation(removing: $0) })
        let closing = StoreClosing(core: core, directory: directory, lock: lock, judgement)
        lock.share()
        do throws(OSThreadError) {
            // The thread takes the engine out, so that nothing here keeps it open.
            let holder = Lock<StoreEngine?>(engine)
            return Store(core, thread: try OSThread { closing.runWriter(holder) })
        } catch {
            throw StoreError(
                .storageFailed,
                "The system refused a thread for the store at \(directory.path) (\(StoreDirectory.message(error.code)))",
                cause: error
            )
        }
    }
}
