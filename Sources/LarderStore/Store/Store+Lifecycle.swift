internal import Synchronization
internal import Threading

extension Store {
    /// Returns when everything queued before the call is committed, with the durability the configuration promises.
    ///
    /// Blocks the calling thread. Throws the first failure of a queued write since the last flush; the other writes are
    /// committed all the same, and the next ones are tried anew, so that writing resumes by itself when a full disk has room
    /// again. What the failed ones were to replace is not read any more: see `StoreEvents.onWriteError`. Throws
    /// `.calledFromErrorHandler` inside `StoreEvents`, where it would wait for itself.
    public func flush() throws(StoreError) {
        try core.require(usable: "flush")
        try core.checkThread("flush()")
        if let failure = core.queue.flush() { throw failure }
    }

    /// Returns when everything queued before the call is committed; suspends instead of blocking.
    ///
    /// Not affected by cancellation: what is queued is committed anyway. Throws as the blocking form does.
    public func flush() async throws(StoreError) {
        try core.require(usable: "flush")
        let failure = await withCheckedContinuation { continuation in
            core.queue.flush { continuation.resume(returning: $0) }
        }
        if let failure { throw failure }
    }

    /// Commits what is queued, waits for running reads and closes the files.
    ///
    /// Blocks for the configured `closeDeadline` and a little longer at most. Everyone who shares the store is affected:
    /// afterwards reads are misses and writes throw `.closed`. Further calls return at once. Throws the first failure of
    /// a queued write since the last flush, or `.timedOut` if writes had to be dropped or reads did not end.
    public func close() throws(StoreError) {
        // In a forked child the store is the parent's: nothing to do here.
        guard core.isUsable else { return }
        try core.checkThread("close()")
        core.isClosing.store(true, ordering: .releasing)
        core.queue.close(within: core.configuration.closeDeadline)
        let patience = core.configuration.closeDeadline * 2 + .seconds(5)
        let (isFinished, failure) = core.queue.waitUntilFinished(deadline: .after(patience))
        guard isFinished else {
            throw StoreError(
                .timedOut,
                "The store at \(path) is not closed after \(patience): it goes on in the background; look at the disk"
            )
        }
        // The last thing the thread lets go of are its descriptors.
        thread.join()
        if let failure { throw failure }
    }

    /// Removes the records of all tables.
    ///
    /// Queued like a write: at once for every later read, and committed with the next flush. The caller's cost does not
    /// depend on the number of records; their space is given back in the background.
    public func removeAll() throws(StoreError) {
        try core.require(usable: "remove records")
        guard isOpen else { throw .closed(path) }
        for table in allTables() { core.queue.enqueue(core.removeAll(of: table)) }
    }

    /// Removes what has expired and returns when that is committed.
    ///
    /// Blocks, in slices that let queued writes through before and after but not between. Reads do not need it.
    public func removeExpired() throws(StoreError) {
        try command(.removeExpired)
    }

    /// Evicts, the oldest unread records first, until at most `bytes` of pages are in use; returns when committed.
    ///
    /// Blocks. A few pages always stay in use. What was removed before is reclaimed first, and the space of free pages is
    /// given back to the file system where that can punch holes; the file keeps its size.
    public func trim(toBytes bytes: ByteCount) throws(StoreError) {
        try command(.trim(bytes: bytes.bytes))
    }

    /// Moves the data to a new file without free pages, and returns when that is in place.
    ///
    /// Blocks, and holds queued writes up, for as long as writing the whole data anew takes; reads go on. Needs room on the
    /// disk for the copy. Throws `.noSpace` if there is none, `.inUse` in a store that is opened for sharing, `.timedOut` if
    /// a read does not end, `.closed`, or `.storageFailed`; the store then goes on in its old file.
    ///
    /// An opening does this by itself, in the background, if the store was closed in order, its file takes more than twice
    /// the space that is used, holes cannot give it back, and at most 64 MiB have to be copied.
    public func compact() throws(StoreError) {
        try command(.compact)
    }

    private func command(_ action: WriteOperation.Action) throws(StoreError) {
        try core.require(usable: "trim")
        guard isOpen else { throw .closed(path) }
        try core.checkThread("trimming")
        core.queue.enqueue(WriteOperation(action))
        try flush()
    }

    /// What the store holds and what it has done.
    ///
    /// Reads counters and what the last commit left; touches neither records nor the disk. In a store that is shared, the
    /// numbers of records are those of the newest commit, and the sizes those of this process's last one.
    public var statistics: StoreStatistics {
        var statistics = StoreStatistics()
        guard core.isUsable else { return statistics }
        core.noticeChanges()
        core.counters.fill(&statistics)
        statistics.externalChanges = core.sharing?.changes ?? 0
        core.published.withLock { published in
            statistics.entries = published.ledger.entries
            statistics.liveBytes = published.ledger.liveBytes
            statistics.usedBytes = published.usedBytes
            statistics.allocatedBytes = published.allocatedBytes
            statistics.fileBytes = published.fileBytes
            statistics.mapBytes = published.mapBytes
            statistics.hidden = published.hidden
            statistics.isFailing = published.isFailing
            statistics.oldestReaderAge = published.oldestReaderAge
        }
        statistics.budgetBytes = core.configuration.budget.bytes
        statistics.queuedBytes = core.queue.room.used
        statistics.readers = core.readers.count
        if recovery != nil { statistics.quarantined += 1 }
        return statistics
    }
}
