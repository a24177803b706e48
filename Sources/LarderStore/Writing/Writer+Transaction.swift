internal import LMDB
internal import Synchronization

/// What one write transaction does.
extension Writer {
    /// Applies the operations and commits, or changes nothing.
    mutating func transact(_ operations: ArraySlice<WriteOperation>) throws(LMDBError) {
        // Of several writes of one record in a transaction only the last has an effect.
        let end = operations.last?.ticket.load(ordering: .relaxed) ?? 0
        let budgetPages = configuration.budget.bytes / environment.pageSize
        try work { records, core, transaction, ledger, tally throws(LMDBError) in
            for operation in operations {
                let successor = operation.successor.load(ordering: .relaxed)
                guard successor == 0 || successor > end else { continue }
                try Self.perform(operation, records, core, &transaction, &ledger, &tally)
            }
            _ = try records.evict(
                downTo: budgetPages,
                limit: operations.count * 2 + 64,
                now: core.clock.now,
                sketch: core.sketch,
                &transaction,
                &ledger,
                &tally
            )
            if let fault = core.faults.beforeCommit?(operations.map(\.key)) {
                throw LMDBError(call: "mdb_txn_commit", result: fault.result)
            }
        }
        guard !tombstones.isEmpty else { return }
        for operation in operations where operation.isVisible {
            guard let tombstone = tombstones.removeValue(forKey: operation.hash) else { continue }
            core.queue.retire(tombstone)
        }
    }

    /// Runs `body` in a transaction that also saves the ledger; counts what was done once it has committed.
    @discardableResult
    mutating func work<R>(
        _ body: (
            RecordStore, StoreCore, inout WriteTransaction, inout Ledger, inout RecordStore.Tally
        ) throws(LMDBError) -> R
    ) throws(LMDBError) -> R {
        guard damage == nil else { throw LMDBError.damaged(call: "mdb_txn_begin") }
        try announce()
        let (core, ledger) = (core, ledger)
        let records = core.records
        let (result, changed, pages, tally) = try environment.write {
            (transaction) throws(LMDBError) -> (R, Ledger, Int, RecordStore.Tally) in
            var changed = ledger
            var tally = RecordStore.Tally()
            let result = try body(records, core, &transaction, &changed, &tally)
            try records.save(changed, &transaction)
            return (result, changed, try records.usedPages(transaction), tally)
        }
        self.ledger = changed
        usedPages = pages
        let counters = core.counters
        counters.commits.count()
        counters.puts.count(tally.puts)
        counters.removals.count(tally.removals)
        counters.expired.count(tally.expired)
        counters.evicted.count(tally.evicted)
        counters.damaged.count(tally.damaged)
        noteCommit(tally)
        return result
    }

    private static func perform(
        _ operation: WriteOperation,
        _ records: RecordStore,
        _ core: StoreCore,
        _ transaction: inout WriteTransaction,
        _ ledger: inout Ledger,
        _ tally: inout RecordStore.Tally
    ) throws(LMDBError) {
        switch operation.action {
        case .put(let header, let content):
            try records.put(header, content: content, hash: operation.hash, &transaction, &ledger)
            tally.puts += 1
            tally.putBytes += header.recordBytes
        case .remove:
            if try records.remove(operation.hash, &transaction, &ledger) { tally.removals += 1 }
        case .discard(let sequence):
            // Sequence 0 stands for an index entry that cannot be read; it is damaged still, or was replaced.
            if sequence > 0 {
                try records.remove(operation.hash, onlyAt: sequence, &transaction, &ledger)
            } else if case .damaged(0) = try records.read(operation.hash, transaction) {
                try records.remove(operation.hash, &transaction, &ledger)
            }
        case .restamp(let sequence):
            let now = core.clock.now
            try records.rewrite(operation.hash, at: sequence, &transaction, &ledger) { $0.restamp(at: now) }
        case .register(let table):
            ledger.register(table.name, keyKind: table.keyKind, instance: operation.instance)
        case .clear(let table, let dead):
            ledger.clear(table.name, keyKind: table.keyKind, dead: dead, next: operation.instance)
        case .removeExpired, .trim, .compact, .setAside:
            break
        }
    }
}

extension RecordHeader {
    /// Makes a record from the future one that was written now and lives as long as it was to live.
    mutating func restamp(at now: WallTime) {
        guard created > now else { return }
        if expires != .never { expires = now + (expires - created) }
        created = now
    }
}
