internal import LMDB

/// Checkpoints between commits.
extension Writer {
    /// Tells the checkpointer how much a commit wrote, roughly.
    mutating func noteCommit(_ tally: RecordStore.Tally) {
        guard let checkpointer else { return }
        // Each record touches a page of the index and one of the extensions, until all of them have been touched; the
        // ledger and the roots come with every commit.
        let pages = min(2 * Int(tally.work), usedPages) + 8
        let bytes = tally.putBytes + pages * environment.pageSize
        attempt(checkpointer) { (checkpointer) throws(LMDBError) in try checkpointer.committed(bytes: bytes) }
    }

    /// Ends and begins checkpoints when no commit comes along to do it.
    mutating func advanceCheckpoint() {
        guard let checkpointer else { return }
        attempt(checkpointer) { (checkpointer) throws(LMDBError) in try checkpointer.advance() }
    }

    private mutating func attempt(
        _ checkpointer: Checkpointer,
        _ body: (Checkpointer) throws(LMDBError) -> Void
    ) {
        let before = checkpointer.count
        do throws(LMDBError) {
            try body(checkpointer)
        } catch {
            // The checkpoint there is stays good. What was committed since must not be trusted after a crash, nor, if the
            // system has dropped pages it could not write, after this.
            isSuspect = true
            checkpointFailure = checkpointFailure ?? describe(error, doing: "making a checkpoint")
            core.counters.writeFailures.count()
        }
        core.counters.checkpoints.count(checkpointer.count - before)
    }
}
