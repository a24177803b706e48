internal import Glibc
internal import LMDB
internal import Threading

/// Opening the data file again while the store is open.
extension Writer {
    /// Closes the environment and opens it again, once in a store's life; returns `false` if that is not possible.
    ///
    /// LMDB must not have one file open twice in a process, so the reads at work have to end first. What is there then is
    /// checked as after a crash.
    mutating func reopen() -> Bool {
        guard !hasReopened else { return false }
        hasReopened = true
        // Both hold the environment.
        core.readers.abandon(for: nil)
        checkpointer = nil
        defer { directory.removeCompaction() }
        do throws(StoreError) {
            try directory.makeCompaction()
            try standIn()
        } catch {
            return false
        }
        guard let (reopened, found, pages) = try? reopenedFile() else { return false }
        environment = reopened
        ledger = found.adding(tablesOf: ledger)
        usedPages = pages
        // With durability `.checkpointed` the next commit needs a new checkpoint to go back to.
        isAnnounced = false
        core.readers.abandon(for: environment)
        return true
    }

    /// Puts an empty environment in the place of the one to be closed, and waits until that is closed.
    private mutating func standIn() throws(StoreError) {
        let closing = environment.closing
        do throws(LMDBError) {
            environment = try Environment(
                directory: directory.enginePath(StoreDirectory.compactionName),
                options: configuration.environmentOptions(core.faults)
            )
        } catch {
            throw describe(error, doing: "opening the data file again")
        }
        let deadline = Deadline.after(.seconds(1))
        while !closing.isDone {
            // Those of reads that have ended meanwhile hold it as well.
            core.readers.dropIdle()
            guard !deadline.hasPassed else {
                throw StoreError(
                    .timedOut,
                    "The data file of the store at \(core.path) cannot be opened again, because a read does not end"
                )
            }
            usleep(1_000)
        }
    }

    private func reopenedFile() throws -> (environment: Environment, ledger: Ledger, pages: Int) {
        let file = unsafe openat(directory.descriptor, "data.mdb", O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else { throw directory.failure("open", "data.mdb") }
        defer { close(file) }
        try DataFileCheck.run(descriptor: file, depth: .whole)
        let environment = try Environment(
            directory: directory.enginePath(),
            options: configuration.environmentOptions(core.faults)
        )
        let records = records
        let (stored, pages) = try environment.write { (transaction) throws(LMDBError) -> ([UInt8]?, Int) in
            guard try StoreDatabases(opening: &transaction) == records.databases else {
                throw LMDBError(call: "mdb_dbi_open", result: EINVAL)
            }
            let stored = try transaction.withValue(forKey: RecordStore.ledgerKey, in: records.meta) { $0.array }
            return (stored, try records.usedPages(transaction))
        }
        guard case .ledger(let ledger)? = stored.map(Ledger.read), ledger.seed == self.ledger.seed else {
            throw LMDBError.damaged(call: "mdb_get")
        }
        return (environment, ledger, pages)
    }
}
