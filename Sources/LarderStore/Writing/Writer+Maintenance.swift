internal import LMDB
internal import Threading

/// Work nobody waits for, in slices small enough that queued writes hardly wait either.
extension Writer {
    /// Whether there is work left that should not wait for the next sweep.
    var hasMaintenance: Bool {
        !ledger.dead.isEmpty || expiresNow || !ledger.orphans.isEmpty || nextSweep.hasPassed || unfilled != nil
            || thinFrom != nil
    }

    private var unfilled: (name: String, attached: RecordStore.Attached, record: Ledger.ExtensionRecord)? {
        for attached in records.extensions {
            guard let record = ledger.extensions[attached.body.name], record.filledTo < record.fillEnd else { continue }
            return (attached.body.name, attached, record)
        }
        return nil
    }

    /// Does one slice of each kind of work that is due.
    mutating func maintain() {
        if nextSweep.hasPassed {
            expiresNow = true
            nextSweep = Self.sweepDeadline(configuration)
        }
        guard hasMaintenance else { return }
        do throws(LMDBError) {
            if !ledger.dead.isEmpty { try sweepDead() }
            if let id = ledger.orphans.first { try clearOrphan(id) }
            if let (name, attached, _) = unfilled { try fill(name, attached) }
            if expiresNow { expiresNow = try expireSlice() > 0 }
            if let thinFrom { try cleanSlice(from: thinFrom) }
            publish()
        } catch {
            // Tried again at the next sweep: nobody is misled meanwhile, for reads check for themselves.
            expiresNow = false
            thinFrom = nil
            _ = recover(from: error)
            core.counters.writeFailures.count()
            pauseMaintenance()
        }
    }

    /// Keeps failing work from spinning; there may be no sweep to wait for.
    private mutating func pauseMaintenance() {
        Lock(false).wait(until: { $0 }, deadline: .after(.milliseconds(20))) { _, _ in }
    }

    private mutating func sweepDead() throws(LMDBError) {
        let start = deadCursor
        if start == 0 { deadPass = ledger.dead }
        let pass = deadPass
        let next = try slice { writer, limit throws(LMDBError) -> UInt64? in
            try writer.work { records, _, transaction, changes throws(LMDBError) -> UInt64? in
                let next = try records.sweepDead(from: start, limit: limit, &transaction, &changes)
                // After a whole pass, whatever is still counted for them was lost to damage.
                if next == nil { for instance in pass { changes.ledger.forget(instance) } }
                return next
            }
        } isFull: { next, _ in
            next != nil
        }
        deadCursor = ledger.dead.isEmpty ? 0 : next ?? 0
    }

    private mutating func clearOrphan(_ id: UInt16) throws(LMDBError) {
        _ = try slice { writer, limit throws(LMDBError) -> Bool in
            try writer.work { records, _, transaction, changes throws(LMDBError) -> Bool in
                // In a shared store another process may have done it.
                guard changes.ledger.orphans.contains(id) else { return false }
                let keyspace = Keyspace(database: records.extensionData, id: id)
                let hasMore = try keyspace.clear(limit: limit, &transaction)
                if !hasMore { changes.ledger.orphans.remove(id) }
                return hasMore
            }
        } isFull: { hasMore, _ in
            hasMore
        }
    }

    private mutating func fill(
        _ name: String,
        _ attached: RecordStore.Attached
    ) throws(LMDBError) {
        _ = try slice { writer, limit throws(LMDBError) -> Bool in
            try writer.work { records, _, transaction, changes throws(LMDBError) -> Bool in
                // In a shared store another process may have come further.
                guard let record = changes.ledger.extensions[name], record.filledTo < record.fillEnd else {
                    return false
                }
                let next = try records.fill(
                    attached,
                    from: record.filledTo,
                    below: record.fillEnd,
                    limit: limit,
                    &transaction
                )
                changes.ledger.extensions[name]?.filledTo = next ?? record.fillEnd
                return next != nil
            }
        } isFull: { hasMore, _ in
            hasMore
        }
    }

    /// How many packs are looked at, each of which may have to be written again.
    private static var packSlice: Int { 256 }

    /// Moves together what lives in packs that are mostly dead, and goes on from where it ends.
    private mutating func cleanSlice(from pack: UInt64) throws(LMDBError) {
        let (records, limit) = (records, Self.packSlice)
        let found = try core.readers.read { (snapshot) throws(LMDBError) in
            try records.thinPacks(from: pack, limit: limit, snapshot)
        }
        // Every reader is busy: later.
        guard let (thin, next) = found else { return pauseMaintenance() }
        thinFrom = next
        guard !thin.isEmpty else { return }
        try work { records, _, transaction, changes throws(LMDBError) in
            for pack in thin { try records.clean(pack, &transaction, &changes) }
        }
    }

    /// Removes a slice of expired records and returns how many there were.
    private mutating func expireSlice() throws(LMDBError) -> Int {
        // Most sweeps find nothing: that is no reason for a commit, which costs a sync and every other process a look.
        guard try hasExpired() else { return 0 }
        return try slice { writer, limit throws(LMDBError) -> Int in
            try writer.work { records, core, transaction, changes throws(LMDBError) -> Int in
                guard let attached = records.extensions.first, let order = attached.body as? ExpiryOrder else {
                    return 0
                }
                let expired = try order.takeExpired(
                    by: core.clock.now,
                    limit: limit,
                    from: attached.keyspace,
                    &transaction
                )
                for (hash, sequence) in expired
                where try records.remove(hash, onlyAt: sequence, &transaction, &changes) {
                    changes.tally.expired += 1
                }
                return expired.count
            }
        } isFull: { count, limit in
            count == limit
        }
    }

    /// Does a slice of work on as many records as the pace allows, and lets the pace learn from one that was full.
    private mutating func slice<R>(
        _ body: (inout Writer, Int) throws(LMDBError) -> R,
        isFull: (R, Int) -> Bool
    ) throws(LMDBError) -> R {
        let (start, limit) = (ContinuousClock.now, pace.limit)
        let result = try body(&self, limit)
        if isFull(result, limit) { pace.note(ContinuousClock.now - start, isAwaited: core.queue.isAwaited) }
        return result
    }

    private func hasExpired() throws(LMDBError) -> Bool {
        guard let attached = records.extensions.first, let order = attached.body as? ExpiryOrder else { return false }
        let hasExpired = try core.readers.read { (snapshot) throws(LMDBError) in
            try order.hasExpired(by: core.clock.now, in: attached.keyspace, snapshot)
        }
        // Every reader is busy: it is looked up where it is removed.
        return hasExpired ?? true
    }

    /// Evicts down to the low-water mark once the budget is exceeded.
    mutating func enforceBudget() {
        guard usedPages > configuration.budget.bytes / environment.pageSize else { return }
        evict(toBytes: Int(Double(configuration.budget.bytes) * configuration.lowWater))
    }

    /// Few enough that what `evict` may move in a call suffices for all that were read.
    private static var evictionSlice: Int { 512 }

    private mutating func evict(toBytes bytes: Int) {
        let target = bytes / environment.pageSize
        var isDone = false
        while !isDone {
            let step = try? work { records, core, transaction, changes throws(LMDBError) -> Bool in
                try records.evict(
                    downTo: target,
                    limit: Self.evictionSlice,
                    now: core.clock.now,
                    sketch: core.sketch,
                    &transaction,
                    &changes
                )
            }
            // Without a commit there is no progress; the next batch tries again.
            isDone = step ?? true
        }
    }

    /// Carries out what a caller asked of the store as a whole, before the batch counts as settled.
    ///
    /// Returns the first thing that could not be done.
    mutating func runCommands(_ operations: [WriteOperation]) -> StoreError? {
        var refusal: StoreError?
        for operation in operations {
            switch operation.action {
            case .removeExpired:
                while core.queue.closeDeadline == nil, let count = try? expireSlice(), count > 0 {}
            case .trim(let bytes):
                // Removed records go before live ones do.
                finishRemovals()
                evict(toBytes: bytes)
                returnAllSpace()
            case .setAside(let reason):
                // Other processes have the file mapped: the last one to close leaves it to the next opening.
                guard core.sharing == nil else { isSuspect = true; continue }
                // What was found in a file that has been set aside meanwhile is not held against its successor.
                guard core.damageReports.withLock({ $0.isGivenUp }) else { continue }
                giveUp(because: reason)
                startAfresh()
            case .emptied(let recovery, let lost):
                core.counters.droppedQueueFull.count(UInt64(lost))
                core.events.onRecovery?(recovery)
            case .compact:
                do throws(StoreError) { try compact() } catch { refusal = refusal ?? error }
            default:
                break
            }
        }
        return refusal
    }

    /// Removes what cleared tables and former extensions have left, all of it unless the store is being closed.
    mutating func finishRemovals() {
        while core.queue.closeDeadline == nil, !ledger.dead.isEmpty || !ledger.orphans.isEmpty {
            do throws(LMDBError) {
                if !ledger.dead.isEmpty { try sweepDead() }
                if let id = ledger.orphans.first { try clearOrphan(id) }
            } catch {
                // Maintenance tries again.
                _ = recover(from: error)
                core.counters.writeFailures.count()
                return
            }
        }
    }
}
