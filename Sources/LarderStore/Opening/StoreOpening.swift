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
    /// Whether files that must not be mapped are moved away, rather than left with an error.
    var setsAside = true

    /// Locks, judges and opens the files, and starts the writer.
    func open() throws(StoreError) -> Store {
        ForkGuard.install()
        let lock = try OwnerLock(directory)
        try directory.checkFiles()
        let isClean = directory.wasClosedInOrder
        directory.removeCompaction()
        var recovery = try recover()
        try writeState()
        var opened: Opened
        do throws(LMDBError) {
            opened = try openEnvironment()
        } catch {
            guard error.isDamage else { throw failure(error) }
            recovery = try setAside(.damaged, "the engine refuses the data file: \(error)")
            do throws(LMDBError) { opened = try openEnvironment() } catch { throw failure(error) }
        }
        if let (reason, detail) = opened.problem {
            // The environment has to be closed before its files move.
            opened = Opened(problem: nil)
            recovery = try setAside(reason, detail)
            do throws(LMDBError) { opened = try openEnvironment() } catch { throw failure(error) }
        }
        guard let (environment, records, ledger) = opened.parts else {
            throw StoreError(
                .storageFailed,
                "A fresh store at \(directory.path) reads back wrongly: look for a failing disk or memory"
            )
        }
        return try start(environment, records, ledger, lock, recovery, wasClean: isClean && recovery == nil)
    }

    private func failure(_ error: LMDBError) -> StoreError {
        .engine(error, path: directory.path, doing: "opening it")
    }

    private func writeState() throws(StoreError) {
        let state = StateFile(isClean: false, durability: configuration.durability)
        try directory.replace(StateFile.name, with: state.encoded)
    }

    // MARK: Judging what is there

    /// Sets files aside that must not be mapped.
    private func recover() throws(StoreError) -> StoreRecovery? {
        guard let data = directory.status(of: "data.mdb") else { return nil }
        guard let bytes = directory.read(StateFile.name) else {
            return try setAside(.damaged, "data.mdb is there without STATE, so it is no store's")
        }
        let state: StateFile
        switch StateFile.read(bytes) {
        case .state(let found): state = found
        case .otherFormat(let format): return try setAside(.otherVersion, "the store has format \(format)")
        case .unreadable: return try setAside(.damaged, "STATE is unreadable")
        }
        if !state.isClean, !state.isSameBoot, state.durability == .fast {
            return try setAside(
                .unsyncedAfterSystemCrash,
                "the system went down while the store was open with durability fast"
            )
        }
        let isUntouched = data.bytes == state.dataBytes && data.modifiedNanoseconds == state.dataModified
        let isTrusted = !state.isSuspect && (state.isClean ? isUntouched : state.isSameBoot)
        do throws(DataFileCheck.Finding) {
            try inspect(isTrusted ? .shape : .whole)
            return nil
        } catch {
            return try setAside(.damaged, "\(error)")
        }
    }

    private func inspect(_ depth: DataFileCheck.Depth) throws(DataFileCheck.Finding) {
        let file = unsafe openat(directory.descriptor, "data.mdb", O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        // What cannot be read here cannot be read by the engine either, which says why.
        guard file >= 0 else { return }
        defer { close(file) }
        try DataFileCheck.run(descriptor: file, depth: depth)
    }

    private func setAside(_ reason: StoreRecovery.Reason, _ detail: String) throws(StoreError) -> StoreRecovery {
        guard setsAside else {
            throw StoreError(
                .damaged,
                "The store at \(directory.path) cannot be used, because \(detail): a service that opens it starts afresh"
            )
        }
        let quarantine = try directory.setAside(now: clock.now)
        try writeState()
        return StoreRecovery(reason: reason, detail: detail, quarantine: quarantine)
    }

    // MARK: The engine

    private struct Opened {
        var parts: (Environment, RecordStore, Ledger)?
        var problem: (StoreRecovery.Reason, String)?

        init(parts: (Environment, RecordStore, Ledger)) {
            self.parts = parts
        }

        init(problem: (StoreRecovery.Reason, String)?) {
            self.problem = problem
        }
    }

    private func openEnvironment() throws(LMDBError) -> Opened {
        let isNew = directory.status(of: "data.mdb") == nil
        let environment = try Environment(
            directory: directory.enginePath(),
            options: configuration.environmentOptions
        )
        // What is promised of the file's content holds only once its name is on the disk too.
        if isNew { directory.synchronize() }
        try environment.clearStaleReaders()
        return try environment.write { (transaction) throws(LMDBError) -> Opened in
            try prepare(environment, &transaction)
        }
    }

    /// Opens every database in the first transaction, and reads or makes the ledger.
    private func prepare(_ environment: Environment, _ transaction: inout WriteTransaction) throws(LMDBError) -> Opened
    {
        let databases = try StoreDatabases(opening: &transaction)
        let stored = try transaction.withValue(forKey: RecordStore.ledgerKey, in: databases.meta) { $0.array }
        var ledger: Ledger
        switch stored.map(Ledger.read) {
        case .ledger(let found)?:
            ledger = found
        case .otherVersion(let version)?:
            return Opened(problem: (.otherVersion, "the store's ledger has version \(version)"))
        case .damaged?:
            return Opened(problem: (.damaged, "the store's ledger is damaged"))
        case nil:
            guard try transaction.statistics(of: databases.data).entries == 0 else {
                return Opened(problem: (.damaged, "the store's ledger is missing"))
            }
            ledger = Ledger(seed: .random(in: 1 ... .max))
        }
        if let problem = try audit(ledger, databases.data, databases.index, transaction) { return Opened(problem: problem) }
        let extensions = ledger.attach([ExpiryOrder()], in: databases.extensionData)
        let records = RecordStore(
            databases: databases,
            seed: HashSeed(value: ledger.seed),
            extensions: extensions
        )
        try records.save(ledger, &transaction)
        return Opened(parts: (environment, records, ledger))
    }

    /// Compares the ledger with the databases: appending below an existing sequence would fail for ever.
    private func audit(
        _ ledger: Ledger,
        _ data: Database,
        _ index: Database,
        _ transaction: borrowing WriteTransaction
    ) throws(LMDBError) -> (StoreRecovery.Reason, String)? {
        let last = try transaction.withCursor(in: data) { (cursor) throws(LMDBError) -> UInt64 in
            guard try cursor.move(.last) else { return 0 }
            return cursor.withEntry { key, _ in key.load(UInt64.self, at: 0) }
        }
        guard last < ledger.nextSequence else { return (.damaged, "there are records beyond the ledger's last one") }
        return nil
    }

    // MARK: Starting

    private func start(
        _ environment: Environment,
        _ records: RecordStore,
        _ ledger: Ledger,
        _ lock: OwnerLock,
        _ recovery: StoreRecovery?,
        wasClean: Bool
    ) throws(StoreError) -> Store {
        let core = StoreCore(
            path: directory.path,
            configuration: configuration,
            clock: clock,
            events: events,
            faults: faults,
            records: records,
            readers: ReaderPool(environment, count: configuration.readerLimit),
            ledger: ledger,
            recovery: recovery
        )
        let closing = StoreClosing(core: core, directory: directory, lock: lock, wasClean: wasClean)
        do throws(OSThreadError) {
            // The thread takes the environment out, so that nothing here keeps it open.
            let holder = Lock<Environment?>(environment)
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
