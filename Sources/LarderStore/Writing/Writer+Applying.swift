internal import LMDB

/// Committing a batch: whole, or in parts until only what cannot be written is left over.
extension Writer {
    struct Failure {
        let operation: WriteOperation
        let error: LMDBError
    }

    /// Commits the operations, in halves if need be, and returns those that failed for good.
    mutating func apply(_ operations: ArraySlice<WriteOperation>) -> [Failure] {
        do throws(LMDBError) {
            try transact(operations)
            return []
        } catch {
            // Nothing is lost of these operations if the store goes on in another environment.
            if recover(from: error) { return apply(operations) }
            if damage != nil { return operations.flatMap { fail($0, error) } }
            if makeRoom(after: error) { return apply(operations) }
            guard operations.count > 1 else { return fail(operations[operations.startIndex], error) }
            // Where there is no room for several in turn there is none for the rest, and a full disk must not be kept busy.
            if error.isAboutRoom, failuresForRoom >= Self.roomAttempts { return refuse(operations, error) }
            let middle = operations.startIndex + operations.count / 2
            return apply(operations[..<middle]) + apply(operations[middle...])
        }
    }

    private static var roomAttempts: Int { 8 }

    private mutating func fail(_ operation: WriteOperation, _ error: LMDBError) -> [Failure] {
        core.counters.writeFailures.count()
        if error.isAboutRoom { failuresForRoom += 1 }
        switch operation.action {
        case .put, .remove:
            // What is not there needs no hiding, however long the disk stays full.
            guard damage != nil || core.mayHold(operation.hash) else { break }
            let removal = WriteOperation(removing: operation.hash, like: operation)
            if damage != nil || (try? transact([removal])) == nil { hide(removal) }
        case .register where core.sharing != nil:
            // Whoever asked for the table is told that it is not there.
            break
        case .clear where core.sharing != nil:
            overdue.append(operation)
        case .register(let table):
            // Kept in memory all the same: the next commit that succeeds saves it.
            ledger.register(table.name, keyKind: table.keyKind, instance: operation.instance)
        case .clear(let table, let dead):
            if ledger.counts[dead]?.entries ?? 0 > 0 { hideEverything() }
            ledger.clear(table.name, keyKind: table.keyKind, dead: dead, next: operation.instance)
        case .discard, .restamp, .removeExpired, .trim, .compact, .adoptMap, .emptied, .setAside:
            break
        }
        return [Failure(operation: operation, error: error)]
    }

    /// Fails operations without trying each of them; what they would have replaced is removed all the same.
    private mutating func refuse(_ operations: ArraySlice<WriteOperation>, _ error: LMDBError) -> [Failure] {
        let writes = operations.filter(\.isVisible)
        let removals = writes.filter { core.mayHold($0.hash) }.map { WriteOperation(removing: $0.hash, like: $0) }
        if !removals.isEmpty, (try? transact(removals[...])) == nil {
            for removal in removals { hide(removal) }
        }
        core.counters.writeFailures.count(UInt64(writes.count))
        return writes.map { Failure(operation: $0, error: error) }
            + operations.filter { !$0.isVisible && !$0.isCommand }.flatMap { fail($0, error) }
    }

    /// Evicts a twentieth when that can help, and returns whether it did.
    ///
    /// Freed pages are used again before the file grows, so a full disk is helped too; but a store that is small beside its
    /// budget did not fill the disk, and would be emptied for nothing.
    private mutating func makeRoom(after error: LMDBError) -> Bool {
        let isLarge = usedPages * 4 > configuration.budget.bytes / environment.pageSize
        switch error.code {
        // Where a read keeps pages from being used again no eviction helps: a few attempts tell.
        case .mapFull where roomMade < 3, .transactionFull where roomMade < 3: break
        case .noSpace where isLarge && isAnnounced && roomMade == 0: break
        case .inputOutput where isLarge && isAnnounced && roomMade == 0: break
        default: return false
        }
        roomMade += 1
        let target = usedPages - max(usedPages / 20, 1)
        let reached = try? work { records, core, transaction, changes throws(LMDBError) -> Bool in
            try records.evict(
                downTo: target,
                limit: 64,
                now: core.clock.now,
                sketch: core.sketch,
                &transaction,
                &changes
            )
        }
        // What a commit frees can be used by the one after the next.
        return reached != nil && (try? work { _, _, _, _ throws(LMDBError) in }) != nil
    }
}
