internal import Glibc
internal import LMDB
internal import Threading

/// Moving the store to a copy of its data that has no free pages, while it is open.
///
/// The copy is written, synced and opened before the original is let go, so that nothing that can fail leaves the store
/// without a file: until the copy takes the original's name, the original is the store.
extension Writer {
    private static var copySliceBytes: Int { 8 << 20 }

    /// Compacts at the start of a store whose file is mostly empty, if the copy is small enough to be quick.
    ///
    /// Holes come first: where they can be punched there may be nothing left to gain.
    mutating func compactIfWorthwhile() {
        let least = 16 << 20
        guard environment.statistics.allocatedBytes > 2 * usedBytes + least else { return }
        returnAllSpace()
        guard environment.statistics.allocatedBytes > 2 * usedBytes + least, usedBytes <= 64 << 20 else { return }
        // A store that cannot be compacted is still a good one.
        try? compact()
    }

    private var usedBytes: Int { usedPages * environment.pageSize }

    mutating func compact() throws(StoreError) {
        finishRemovals()
        do throws(LMDBError) {
            guard damage == nil else { throw LMDBError.damaged(call: "mdb_txn_begin") }
            try announce()
        } catch { throw describe(error, doing: "compacting the data") }
        do throws(StoreError) {
            try directory.makeCompaction()
            try moveToCopy()
        } catch {
            directory.removeCompaction()
            throw error
        }
        core.counters.compactions.count()
        publish()
    }

    private mutating func moveToCopy() throws(StoreError) {
        let made: Environment?
        do throws(LMDBError) {
            made = try makeCopy()
        } catch {
            _ = recover(from: error)
            throw describe(error, doing: "copying the data to compact it")
        }
        guard let copy = made else { throw .closed(core.path) }
        var pinned: PinnedSnapshot?
        do throws(LMDBError) {
            pinned = try checkpointer?.prepare(copy)
        } catch {
            throw describe(error, doing: "making a checkpoint of the compacted data")
        }
        var refusal: StoreError?
        let isMoved = core.readers.move(to: copy, deadline: .after(.seconds(1))) {
            do throws(StoreError) {
                try directory.adoptCompaction()
                return true
            } catch {
                refusal = error
                return false
            }
        }
        guard isMoved else {
            throw refusal
                ?? StoreError(
                    .timedOut,
                    "The store at \(core.path) was not compacted, because a read did not end: try again later"
                )
        }
        environment = copy
        directory.finishCompaction()
        if let pinned { checkpointer?.adopt(copy, pinned) }
        usedPages =
            (try? environment.read { (snapshot) throws(LMDBError) in try records.usedPages(snapshot) }) ?? usedPages
    }

    /// Returns `nil` if the store is being closed.
    private func makeCopy() throws(LMDBError) -> Environment? {
        let copy = try Environment(
            directory: directory.enginePath(StoreDirectory.compactionName),
            options: configuration.environmentOptions(core.faults)
        )
        let databases = try copy.write { (transaction) throws(LMDBError) in
            try StoreDatabases(opening: &transaction)
        }
        // Readers go on with the handles they have.
        guard databases == records.databases else { throw LMDBError(call: "mdb_dbi_open", result: EINVAL) }
        for database in databases.all {
            let isWhole = try environment.copyEntries(
                of: database,
                to: copy,
                database,
                sliceBytes: Self.copySliceBytes,
                shouldStop: { core.queue.closeDeadline != nil }
            )
            guard isWhole else { return nil }
        }
        try copy.synchronize()
        return copy
    }
}
