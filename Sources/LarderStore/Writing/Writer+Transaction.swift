internal import LMDB
internal import Synchronization

/// What one write transaction does.
extension Writer {
    /// Applies the operations and commits, or changes nothing.
    mutating func transact(_ operations: ArraySlice<WriteOperation>) throws(LMDBError) {
        // Of several writes of one record in a transaction only the last has an effect.
        let end = operations.last?.ticket.load(ordering: .relaxed) ?? 0
        let budgetPages = configuration.budget.bytes / environment.pageSize
        try work { records, core, transaction, changes throws(LMDBError) in
            for operation in operations {
                let successor = operation.successor.load(ordering: .relaxed)
                guard successor == 0 || successor > end else { continue }
                try Self.perform(operation, records, core, &transaction, &changes)
            }
            _ = try records.evict(
                downTo: budgetPages,
                limit: operations.count * 2 + 64,
                now: core.clock.now,
                sketch: core.sketch,
                &transaction,
                &changes
            )
            if let fault = core.faults.beforeCommit?(operations.map(\.key)) {
                throw LMDBError(call: "mdb_txn_commit", result: fault.result)
            }
        }
        core.sharing?.place(operations)
        guard !tombstones.isEmpty else { return }
        for operation in operations where operation.isVisible {
            guard let tombstone = tombstones.removeValue(forKey: operation.hash) else { continue }
            core.queue.retire(tombstone)
        }
    }

    /// Runs `body` in a transaction that also settles its changes and saves the ledger; counts them once it has committed.
    @discardableResult
    mutating func work<R>(
        _ body: (RecordStore, StoreCore, inout WriteTransaction, inout RecordChanges) throws(LMDBError) -> R
    ) throws(LMDBError) -> R {
        guard damage == nil else { throw LMDBError.damaged(call: "mdb_txn_begin") }
        try announce()
        let (core, ledger, snapshot, overdue) = (core, ledger, snapshot, overdue)
        let records = core.records
        var change: StoreExternalChange?
        // Outside the transaction: whoever is told may want to write.
        defer { if let change { core.events.onExternalChange?(change) } }
        let (result, changes, number, pages) = try write {
            (transaction) throws(LMDBError) -> (R, RecordChanges, UInt64, Int) in
            let number = transaction.number
            var changes = RecordChanges(ledger)
            if let sharing = core.sharing, number != snapshot + 1 {
                // Nobody commits between this and the end of the transaction.
                change = try sharing.follow(number - 1, records, transaction) ?? change
                changes = RecordChanges(try records.ledger(transaction))
            }
            for clear in overdue { try Self.perform(clear, records, core, &transaction, &changes) }
            let result = try body(records, core, &transaction, &changes)
            try records.settle(&transaction, &changes)
            try records.save(changes.ledger, &transaction)
            try core.sharing?.sign(records, &transaction)
            return (result, changes, number, try records.usedPages(transaction))
        }
        core.faults.afterCommit?()
        self.ledger = changes.ledger
        hasUnsavedClear = false
        self.snapshot = number
        usedPages = pages
        core.sketch.fit(records: ledger.entries)
        core.sharing?.note(number, changes.ledger)
        core.sharing?.place(overdue)
        self.overdue = []
        if changes.leavesThinPacks { thinFrom = 0 }
        let (counters, tally) = (core.counters, changes.tally)
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
        _ changes: inout RecordChanges
    ) throws(LMDBError) {
        switch operation.action {
        case .put(var header, let content):
            guard let place = operation.place(in: changes.ledger, records, core) else { return }
            header.instance = place.instance
            try records.put(header, content: content, hash: place.hash, &transaction, &changes)
            changes.tally.puts += 1
            changes.tally.putBytes += header.recordBytes
        case .remove:
            guard let place = operation.place(in: changes.ledger, records, core) else { return }
            if try records.remove(place.hash, &transaction, &changes) { changes.tally.removals += 1 }
        case .discard(let sequence):
            try records.discard(operation.hash, at: sequence, &transaction, &changes)
        case .restamp(let sequence):
            let now = core.clock.now
            try records.rewrite(operation.hash, at: sequence, &transaction, &changes) { $0.restamp(at: now) }
        case .register(let table) where core.sharing != nil:
            changes.ledger.register(table)
        case .register(let table):
            changes.ledger.register(table.name, keyKind: table.keyKind, instance: operation.instance)
        case .clear(let table, let dead):
            // What waits has to be counted first, or nobody would know that there is something to remove.
            try records.settle(&transaction, &changes)
            guard core.sharing == nil else { return changes.ledger.clear(table) }
            changes.ledger.clear(table.name, keyKind: table.keyKind, dead: dead, next: operation.instance)
        case .removeExpired, .trim, .compact, .adoptMap, .emptied, .setAside:
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
