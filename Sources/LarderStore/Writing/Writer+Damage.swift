internal import Glibc
internal import LMDB
internal import Threading

/// Giving up a data file in which damage was found, while the store is open.
///
/// Nothing in a damaged file can be relied on, and to go on in it may end the process. So the file is set aside, as an
/// opening would do, and the store goes on with an empty one: the queue, the tables and their keys stay what they are. Reads
/// at work end in the old file, which stays mapped for as long as they take.
extension Writer {
    /// Deals with a failure of the engine that is one of the environment as a whole.
    ///
    /// Returns whether the store goes on in another one, so that what failed is worth another attempt.
    mutating func recover(from error: LMDBError) -> Bool {
        guard core.sharing == nil else {
            // Other processes have the file mapped: the last one to close leaves it to the next opening.
            isSuspect = isSuspect || error.isDamage
            return false
        }
        // Once a meta page could not be written LMDB refuses everything, until the file is opened anew.
        if error.code == .panic, damage == nil, reopen() { return true }
        guard error.isDamage || error.code == .panic else { return false }
        giveUp(because: "the engine reports \(error)")
        return startAfresh()
    }

    /// Lets nobody read or write the environment any more.
    mutating func giveUp(because reason: String) {
        guard damage == nil else { return }
        damage = reason
        isSuspect = true
        core.readers.abandon(for: nil)
        // If the process ends before the file is set aside, the next opening does not trust it.
        var state = StateFile(isClean: false, durability: configuration.durability)
        state.isSuspect = true
        state.hidden = hidden
        try? directory.overwrite(StateFile.name, with: state.encoded)
        retry = .after(.zero)
    }

    /// Sets the damaged file aside and goes on with an empty one; returns `false`, to be tried again, if that fails.
    @discardableResult
    mutating func startAfresh() -> Bool {
        guard let reason = damage, core.setsAside else { return false }
        do throws(StoreError) {
            try directory.makeCompaction()
            let fresh = try makeFresh()
            // A pinned snapshot is one of the old file.
            checkpointer = nil
            let quarantine = try directory.setAside(StoreDirectory.dataNames, now: core.clock.now)
            try directory.adoptCompaction()
            directory.finishCompaction()
            environment = fresh.environment
            ledger = fresh.ledger
            usedPages = fresh.pages
            (damage, isSuspect, isAnnounced, deadCursor, thinFrom) = (nil, false, false, 0, nil)
            core.readers.abandon(for: environment)
            for tombstone in tombstones.values { core.queue.retire(tombstone) }
            tombstones = [:]
            hasUnsavedClear = false
            // What it finds from here on is no concern of the new file.
            pageCheck?.stop()
            core.damageReports.withLock { $0 = DamageReports() }
            publish()
            // Or else the next commit does.
            try? announce()
            core.counters.quarantined.count()
            core.events.onRecovery?(StoreRecovery(reason: .damaged, detail: reason, quarantine: quarantine))
            return true
        } catch {
            directory.removeCompaction()
            retry = .after(retryPause)
            return false
        }
    }

    /// An empty environment beside the old one, with the tables and the seed of the store.
    private func makeFresh() throws(StoreError) -> (environment: Environment, ledger: Ledger, pages: Int) {
        let ledger = ledger.emptied
        do throws(LMDBError) {
            let fresh = try Environment(
                directory: directory.enginePath(StoreDirectory.compactionName),
                options: configuration.environmentOptions(core.faults)
            )
            let records = records
            let pages = try fresh.write { (transaction) throws(LMDBError) -> Int in
                // Readers and the writer go on with the handles they have.
                guard try StoreDatabases(opening: &transaction) == records.databases else {
                    throw LMDBError(call: "mdb_dbi_open", result: EINVAL)
                }
                try records.save(ledger, &transaction)
                return try records.usedPages(transaction)
            }
            try fresh.synchronize()
            return (fresh, ledger, pages)
        } catch {
            throw describe(error, doing: "starting afresh after damage")
        }
    }
}
