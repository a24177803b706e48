internal import LMDB
internal import Synchronization
internal import Threading

/// What a store that several processes share knows of their commits.
///
/// Whatever the store keeps in memory about the file speaks of one commit, the newest one *seen*: the published ledger and
/// the instances of the tables. A snapshot with a higher number has commits of others in it, or one of this process that
/// its writer has not come to note yet; what is in memory is made to follow before anything is read from it. Each commit
/// is signed, so that the two can be told apart.
final class StoreSharing: Sendable {
    private static let signatureKey = Array("committer".utf8)

    /// Names this opening of the store in the commits it makes.
    private let signature = UInt64.random(in: 1 ... .max)
    /// Written with `tables` held, after everything that it says is seen.
    private let seen: Atomic<UInt64>
    private let noticed = Atomic<UInt64>(0)
    private let tables = Lock<[TableState]>([])
    private let published: Lock<StoreCore.Published>

    /// `seen` is the commit the store was opened with.
    init(seen: UInt64, published: Lock<StoreCore.Published>) {
        self.seen = Atomic(seen)
        self.published = published
    }

    /// How many times commits of others were noticed.
    var changes: UInt64 { noticed.load(ordering: .acquiring) }

    /// Whether what is in memory speaks of the snapshot of this number.
    func isCurrent(_ snapshot: UInt64) -> Bool { seen.load(ordering: .acquiring) == snapshot }

    /// Makes what is in memory follow a snapshot, unless it has come further already.
    ///
    /// Returns what is to be reported, once no transaction is held any more, if others have committed.
    func follow(
        _ snapshot: UInt64,
        _ records: RecordStore,
        _ transaction: borrowing some Transaction & ~Copyable
    ) throws(LMDBError) -> StoreExternalChange? {
        guard snapshot > seen.load(ordering: .acquiring) else { return nil }
        let ledger = try records.ledger(transaction)
        let signature = try transaction.withValue(forKey: Self.signatureKey, in: records.meta) { bytes in
            bytes.byteCount == 8 ? bytes.load(UInt64.self, at: 0) : 0
        }
        return tables.withLock { tables -> StoreExternalChange? in
            guard snapshot > seen.load(ordering: .relaxed) else { return nil }
            // The writer sees to it that everything before a commit of its own has been seen.
            let isOwn = signature == self.signature
            published.withLock { $0.ledger = ledger }
            for table in tables { Self.move(table, to: ledger) }
            if !isOwn { noticed.add(1, ordering: .releasing) }
            seen.store(snapshot, ordering: .releasing)
            return isOwn ? nil : StoreExternalChange(snapshot: snapshot)
        }
    }

    /// Signs a transaction as one of this process.
    func sign(_ records: RecordStore, _ transaction: inout WriteTransaction) throws(LMDBError) {
        var bytes = [UInt8](repeating: 0, count: 8)
        bytes.store(signature, at: 0)
        try transaction.put(bytes, forKey: Self.signatureKey, in: records.meta)
    }

    /// Notes a commit of this process.
    func note(_ snapshot: UInt64, _ ledger: Ledger) {
        tables.withLock { _ in
            // A read may have seen it, and others after it, before its writer came to this.
            guard snapshot > seen.load(ordering: .relaxed) else { return }
            published.withLock { $0.ledger = ledger }
            seen.store(snapshot, ordering: .releasing)
        }
    }

    /// Puts the tables that committed operations have registered or cleared where they lie now.
    ///
    /// Comes before the queue lets go of the operations: a read that finds a table nowhere in the file must find in the
    /// queue what was written to it.
    func place(_ operations: some Sequence<WriteOperation>) {
        tables.withLock { _ in
            for operation in operations {
                guard let table = operation.target else { continue }
                let stored = published.withLock { $0.ledger.tables[table.name] }
                guard let stored, stored.keyKind == table.keyKind else { continue }
                // Stays nowhere if it was cleared again meanwhile.
                table.store(stored.instance, at: TableState.Place(queued: operation.instance, stored: 0))
            }
        }
    }

    /// Makes a table follow the commits of others from now on; returns what is known of its name, `nil` for nothing.
    func adopt(_ table: TableState) -> Ledger.Table? {
        tables.withLock { tables in
            let ledger = published.withLock { $0.ledger }
            guard let stored = ledger.tables[table.name] else { return nil }
            guard stored.keyKind == table.keyKind, !tables.contains(where: { $0 === table }) else { return stored }
            tables.append(table)
            Self.move(table, to: ledger)
            return stored
        }
    }

    /// A table that is being cleared here stays nowhere until that is committed.
    private static func move(_ table: TableState, to ledger: Ledger) {
        let place = table.place
        guard place.stored > 0, let stored = ledger.tables[table.name]?.instance, stored != place.stored else { return }
        table.store(stored, at: place)
    }
}

extension WriteOperation {
    /// The table that the operation registers or clears.
    fileprivate var target: TableState? {
        switch action {
        case .register(let table), .clear(let table, _): table
        default: nil
        }
    }
}

extension RecordStore {
    /// The ledger of a snapshot.
    func ledger(_ transaction: borrowing some Transaction & ~Copyable) throws(LMDBError) -> Ledger {
        let stored = try transaction.withValue(forKey: Self.ledgerKey, in: meta) { $0.array }
        guard case .ledger(let ledger)? = stored.map(Ledger.read) else { throw .damaged(call: "reading the ledger") }
        return ledger
    }
}
