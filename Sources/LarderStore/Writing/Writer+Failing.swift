internal import LMDB
internal import Threading

/// What could not be committed: hidden from reads, and tried again.
extension Writer {
    static var shortestPause: Duration { .milliseconds(50) }
    private static var longestPause: Duration { .seconds(5) }

    /// Hides a record from reads until its removal can be committed.
    mutating func hide(_ removal: WriteOperation) {
        tombstones[removal.hash] = removal
        if retry == .never { retry = .after(retryPause) }
    }

    /// Hides everything from the next opening until the ledger is saved: the file does not know of a clear.
    mutating func hideEverything() {
        hasUnsavedClear = true
        if retry == .never { retry = .after(retryPause) }
    }

    /// Tries to commit the removals that failed, of single records and of everything; returns whether none is left.
    @discardableResult
    mutating func retireTombstones() -> Bool {
        // What was hidden may have been settled by another commit, of which STATE does not know yet.
        guard !hidden.isEmpty else { return notedHidden.isEmpty || settleTombstones() == nil }
        guard damage == nil, (try? transact(Array(tombstones.values)[...])) != nil else { return false }
        // The commit took them off the list; the queue lets reads look for themselves again.
        core.published.withLock { $0.isFailing = false }
        return settleTombstones() == nil
    }

    /// Ends the tombstones whose records are gone, and tells STATE which are left.
    ///
    /// Returns why that could not be done: then a write that was committed may be hidden after a crash.
    mutating func settleTombstones() -> StoreError? {
        let wasNoted = notedHidden
        do throws(StoreError) {
            try noteHidden()
        } catch {
            // Not to have hidden what is newly hidden takes nothing from anyone who was promised something.
            return wasNoted.isSubset(of: hidden) ? nil : error
        }
        if hidden.isEmpty { (retry, retryPause) = (.never, Self.shortestPause) }
        return nil
    }

    /// Tries again what has failed, at growing intervals.
    mutating func retryFailed() {
        retryPause = min(retryPause * 2, Self.longestPause)
        retry = .after(retryPause)
        if damage != nil, !startAfresh() { return }
        if retireTombstones() { (retry, retryPause) = (.never, Self.shortestPause) }
        publish()
    }

    /// What is told to whoever flushes a store whose files were deleted.
    var deletion: StoreError {
        StoreError(
            .unusableDirectory,
            """
            The data file of the store at \(core.path) was deleted while it was open: what is written is gone once it is \
            closed; close it and open it again, and have nothing remove files of an open store
            """
        )
    }
}
