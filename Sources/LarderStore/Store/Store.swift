internal import LMDB
internal import Synchronization
internal import Threading

/// A persistent key-value store in one directory, made for caches: bounded, expiring, and never in its caller's way.
///
/// One writer commits what callers queue, many at once; reads see queued writes at once and never wait for the writer.
/// Its own failures never become its caller's: a record that cannot be read is a miss, and one that cannot be written is
/// reported to `StoreEvents`, to the statistics and to the next `flush()`.
///
/// A store belongs to one process, unless `StoreConfiguration.multiProcess` says otherwise. Let go of without `close()`, it
/// commits what is queued and closes in the background.
public final class Store: Sendable {
    @usableFromInline let core: StoreCore
    let thread: OSThread
    private let tables: Lock<[String: TableState]>

    init(_ core: StoreCore, thread: OSThread) {
        self.core = core
        self.thread = thread
        tables = Lock([:])
    }

    deinit {
        // A forked child leaves everything as it is: it is the parent's.
        guard core.isUsable else { return }
        core.isClosing.store(true, ordering: .releasing)
        core.queue.close(within: core.configuration.closeDeadline)
    }

    /// Opens the store in the directory at `path`, which is created if it is not there.
    ///
    /// Blocks and reads the disk. What leads to the records is looked through if it takes no more than some ten milliseconds
    /// from the system's cache, as with 150,000 small records, or 150 MiB of values of a kilobyte; where there is more, only
    /// if the system went down while the store was open, the engine found damage in it, or someone else has changed the
    /// file: some seventy milliseconds a million records. Otherwise it is looked through in the background, at a fifth of a
    /// processor, damage is met as any that shows while the store is open (`StoreEvents.onRecovery`), and the time of the
    /// opening does not depend on the number of records. A store that is open in this
    /// process is returned as it is; it must be asked for with the same configuration. Files that are damaged, foreign or
    /// of another format are set aside in a directory beside them, the store starts empty, and `events` and
    /// `recovery` say so. Other processes are kept out while it is open, unless it is shared: then this waits, for as long
    /// as `closeDeadline` and a little, while another process opens or closes it.
    ///
    /// Throws `.invalidConfiguration`, `.configurationMismatch`, `.unusableDirectory`, `.inUse`, `.noSpace`, `.timedOut`,
    /// `.storageFailed` or, while others share a store that needs attention, `.damaged`, with a message that names the path or
    /// field, its value and the remedy.
    public static func open(
        at path: String,
        configuration: StoreConfiguration = StoreConfiguration(),
        clock: WallClock = .system,
        events: StoreEvents = StoreEvents()
    ) throws(StoreError) -> Store {
        try open(at: path, configuration: configuration, clock: clock, events: events, faults: StoreFaults())
    }

    /// Opens the store for the caller alone: one that is open in this process is refused with `.inUse`.
    ///
    /// Whoever keeps in memory what the store holds has to see every write of it, and to be told by `events`, which only the
    /// first one gives. One that is about to be let go of, or is closing, is waited for.
    package static func openAlone(
        at path: String,
        configuration: StoreConfiguration,
        clock: WallClock,
        events: StoreEvents,
        faults: StoreFaults
    ) throws(StoreError) -> Store {
        try open(at: path, configuration: configuration, clock: clock, events: events, faults: faults, joins: false)
    }

    package static func open(
        at path: String,
        configuration: StoreConfiguration,
        clock: WallClock,
        events: StoreEvents,
        faults: StoreFaults,
        isMaintenance: Bool = false,
        joins: Bool = true
    ) throws(StoreError) -> Store {
        try configuration.validate()
        let directory = try StoreDirectory(path: path)
        let opening = StoreOpening(
            directory: directory,
            configuration: configuration,
            clock: clock,
            events: events,
            faults: faults,
            isMaintenance: isMaintenance
        )
        var isFresh = false
        let store = try StoreRegistry.shared.store(
            at: directory.identity,
            deadline: .after(configuration.closeDeadline + .seconds(5)),
            path: directory.path,
            joins: joins
        ) { () throws(StoreError) -> Store in
            isFresh = true
            return try opening.open()
        }
        if let difference = store.core.configuration.firstDifference(from: configuration) {
            throw StoreError(
                .configurationMismatch,
                "The store at \(path) is open in this process and \(difference): close it first, or ask for the same"
            )
        }
        if isFresh, let recovery = store.recovery { events.onRecovery?(recovery) }
        return store
    }

    /// Removes the store in the directory at `path`, and the directory if nothing else is in it.
    ///
    /// Blocks. What is not there is no error. Throws `.inUse` while the store is open here or in another process, and
    /// `.unusableDirectory` if the directory is no place for a store.
    public static func destroy(at path: String) throws(StoreError) {
        try StoreDirectory.destroy(at: path)
    }

    /// The directory of the store.
    public var path: String { core.path }

    /// The configuration it was opened with.
    public var configuration: StoreConfiguration { core.configuration }

    /// The version of the storage engine, for logs.
    public var engineVersion: String { Environment.engineVersion }

    /// Why the store started empty when it was opened, or `nil` if it did not have to.
    public var recovery: StoreRecovery? { core.recovery }

    /// Whether it takes writes: not once it is closing.
    public var isOpen: Bool { core.isUsable && !core.isClosing.load(ordering: .acquiring) }

    /// The table of a name, which is created if it is not there.
    ///
    /// Does not block, but for a commit if it is created in a store that is shared. Any number of handles to one table may
    /// exist. Throws `.invalidTable` for an empty name, one above 255 bytes, or a table whose keys are of another kind;
    /// `.closed` once the store is closing.
    public func table<Key: StoreKey, Value: Sendable>(
        _ name: String,
        keyedBy _: Key.Type = Key.self,
        codec: ValueCodec<Value>
    ) throws(StoreError) -> StoreTable<Key, Value> {
        StoreTable(store: self, state: try tableState(name, keyKind: Key.storeKeyKind), codec: codec)
    }

    func tableState(_ name: String, keyKind: String) throws(StoreError) -> TableState {
        try core.require(usable: "open tables")
        guard isOpen else { throw .closed(path) }
        guard (1...255).contains(name.utf8.count) else {
            throw StoreError(
                .invalidTable,
                "The table name \"\(name.prefix(40))\" has \(name.utf8.count) bytes: use 1 to 255"
            )
        }
        core.noticeChanges()
        let state = tables.withLock { tables in
            if let state = tables[name] { return state }
            let stored = core.published.withLock { $0.ledger.tables[name] }
            let state =
                stored.map { TableState(name: name, $0) }
                ?? core.queue.register(name: name, keyKind: keyKind)
            tables[name] = state
            return state
        }
        try confirm(state, keyKind: keyKind)
        guard state.keyKind == keyKind else { throw .wrongKeys(of: name, state.keyKind, keyKind) }
        return state
    }

    /// Undoes what a refused opening of a table has left.
    func forget(_ state: TableState) {
        tables.withLock { tables in
            if tables[state.name] === state { tables[state.name] = nil }
        }
    }

    func allTables() -> [TableState] {
        // Tables that were not asked for since the store was opened have to be known to be cleared.
        core.noticeChanges()
        let stored = core.published.withLock { $0.ledger.tables }
        let all = tables.withLock { tables in
            for (name, table) in stored where tables[name] == nil { tables[name] = TableState(name: name, table) }
            return Array(tables.values)
        }
        if let sharing = core.sharing { for table in all { _ = sharing.adopt(table) } }
        return all
    }
}
