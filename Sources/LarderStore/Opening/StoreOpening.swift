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

    /// Locks, judges and opens the files, and starts the writer.
    func open() throws(StoreError) -> Store {
        ForkGuard.install()
        let lock = try OwnerLock(directory)
        try directory.checkFiles()
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
        return try start(environment, records, ledger, lock, recovery)
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

    private var maxReaders: Int {
        configuration.maxReaders ?? max(32, 4 * Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    }

    private func openEnvironment() throws(LMDBError) -> Opened {
        let budget = configuration.budget.bytes
        let synchronization: EnvironmentOptions.Synchronization =
            switch configuration.durability {
            case .strict: .full
            case .commit: .dataOnly
            case .fast: .none
            }
        let options = EnvironmentOptions(
            mapBytes: (max(budget > .max / 4 ? .max / 2 : 4 * budget, 1 << 30) + 0xFFFF) & ~0xFFFF,
            minimumMapBytes: budget + (16 << 20),
            maximumReaders: maxReaders + 16,
            maximumDatabases: RecordStore.databaseCount,
            synchronization: synchronization
        )
        // Through the descriptor's own path: the directory that was checked, whatever its name leads to by now.
        let isNew = directory.status(of: "data.mdb") == nil
        let environment = try Environment(directory: "/proc/self/fd/\(directory.descriptor)", options: options)
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
        let data = try transaction.open("data", integerKeys: true)
        let index = try transaction.open("index")
        let meta = try transaction.open("meta")
        let extensionData = try transaction.open("extensions")
        let stored = try transaction.withValue(forKey: RecordStore.ledgerKey, in: meta) { $0.array }
        var ledger: Ledger
        switch stored.map(Ledger.read) {
        case .ledger(let found)?:
            ledger = found
        case .otherVersion(let version)?:
            return Opened(problem: (.otherVersion, "the store's ledger has version \(version)"))
        case .damaged?:
            return Opened(problem: (.damaged, "the store's ledger is damaged"))
        case nil:
            guard try transaction.statistics(of: data).entries == 0 else {
                return Opened(problem: (.damaged, "the store's ledger is missing"))
            }
            ledger = Ledger(seed: .random(in: 1 ... .max))
        }
        if let problem = try audit(ledger, data, index, transaction) { return Opened(problem: problem) }
        let extensions = ledger.attach([ExpiryOrder()], in: extensionData)
        let records = RecordStore(
            data: data,
            index: index,
            meta: meta,
            extensionData: extensionData,
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
        _ recovery: StoreRecovery?
    ) throws(StoreError) -> Store {
        let core = StoreCore(
            path: directory.path,
            configuration: configuration,
            clock: clock,
            events: events,
            faults: faults,
            records: records,
            readers: ReaderPool(environment, count: maxReaders),
            ledger: ledger,
            recovery: recovery
        )
        let closing = StoreClosing(core: core, directory: directory, lock: lock)
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
