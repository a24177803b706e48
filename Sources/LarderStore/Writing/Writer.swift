internal import Glibc
internal import LMDB
internal import Synchronization
internal import Threading

/// The one owner of write transactions; lives on its own thread from the store's opening to its end.
///
/// What is queued together commits together. A batch that fails is halved until the culprit alone fails; then the record
/// under its key is removed instead, and if not even that can be committed the removal goes on hiding it from reads, and is
/// tried again and again. An environment in which the engine finds damage is given up for a fresh one.
struct Writer: ~Copyable {
    let core: StoreCore
    /// Another one after a compaction.
    var environment: Environment
    let directory: StoreDirectory
    /// Only in a store that is shared.
    let turns: EngineTurns?
    /// Only with durability `.checkpointed`, and then once the store is announced.
    var checkpointer: Checkpointer?
    /// Whether STATE says that the store is open; see `announce()`.
    var isAnnounced: Bool
    /// For the next flush: why there can be no more checkpoints.
    var checkpointFailure: StoreError?
    var space = SpaceSchedule()
    var growth = GrowthSchedule()
    var ledger: Ledger
    /// The commit the ledger is that of; looked at only in a shared store.
    var snapshot: UInt64
    /// Clears that could not be committed, in a shared store: part of each commit until one succeeds.
    var overdue: [WriteOperation] = []
    var nextReaderCheck: WallTime
    /// When to look whether others have committed; never if nobody wants to be told.
    var nextLook: Deadline
    /// Removals that could not be committed yet, by the record they hide.
    var tombstones: [RecordHash: WriteOperation] = [:]
    /// Those that STATE tells the next opening of.
    var notedHidden: HiddenRecords
    /// Whether a clear could not be committed, and the ledger that knows of it has not been saved since.
    var hasUnsavedClear = false
    /// When to try them again if no write comes along, and how long to wait after that.
    var retry = Deadline.never
    var retryPause = Self.shortestPause
    /// The writes of this batch that failed one by one for want of room.
    var failuresForRoom = 0
    /// How often records were evicted to make room for this batch.
    var roomMade = 0
    /// How long the last batch took.
    private var commitDuration = Duration.zero
    var usedPages = 0
    var pace = SlicePace()
    var nextSweep: Deadline
    var expiresNow = false
    var deadCursor: UInt64 = 0
    /// From where on packs are to be looked at of which less than half may live; at first all, for an end without order.
    var thinFrom: UInt64? = 0
    /// The instances the running sweep began with.
    var deadPass: Set<UInt32> = []
    /// Set when a commit or a checkpoint has failed so that the next open must not trust the file.
    var isSuspect = false
    /// Why the environment was given up, until there is another one; nothing is read or written meanwhile.
    var damage: String?
    /// The data file, or the directory with it, was deleted.
    var isDeleted = false
    /// Whether the environment was opened again once, because the engine refused to go on.
    var hasReopened = false
    var watch = ReaderWatch()
    /// Looks through a file that was too large to be looked through at its opening.
    var pageCheck: BackgroundCheck?

    var records: RecordStore { core.records }
    var configuration: StoreConfiguration { core.configuration }

    /// Takes the engine out of its holder, so that nobody else keeps it open; `nil` if it is gone.
    init?(core: StoreCore, engine holder: Lock<StoreEngine?>, directory: StoreDirectory) {
        guard let engine = holder.withLock({ $0.take() }) else { return nil }
        self.core = core
        environment = engine.environment
        turns = engine.turns
        checkpointer = engine.checkpointer
        isAnnounced = engine.isAnnounced
        self.directory = directory
        ledger = core.published.withLock { $0.ledger }
        snapshot = engine.snapshot
        nextReaderCheck = core.clock.now
        nextLook = Self.lookDeadline(core)
        notedHidden = HiddenRecords(engine.hidden)
        for hash in engine.hidden { tombstones[hash] = core.queue.pending(hash) ?? WriteOperation(removing: hash) }
        if !tombstones.isEmpty { retry = .after(.zero) }
        nextSweep = Self.sweepDeadline(core.configuration)
    }

    static func sweepDeadline(_ configuration: StoreConfiguration) -> Deadline {
        configuration.expiryInterval > .zero ? .after(configuration.expiryInterval) : .never
    }

    /// What the closing has to know.
    struct End {
        /// Why the store was not closed as it should be.
        var failure: StoreError?
        var isSuspect: Bool
        var isAnnounced: Bool
        var hidden: HiddenRecords
    }

    /// Works until the store is closed.
    mutating func run(compactsFirst: Bool, checksPages: Bool) -> End {
        if checksPages { pageCheck = BackgroundCheck(core) }
        // Readers are closed next, and it must not begin to read meanwhile.
        defer { pageCheck?.stop() }
        let failure = work(compactsFirst: compactsFirst)
        return End(
            failure: failure,
            isSuspect: isSuspect,
            isAnnounced: isAnnounced,
            hidden: hidden
        )
    }

    /// Works until the store is closed; returns the failure of the last writes, if closing ran out of time.
    private mutating func work(compactsFirst: Bool) -> StoreError? {
        core.writerThread.store(UInt64(pthread_self()), ordering: .relaxed)
        usedPages =
            (try? core.readers.read { (transaction) throws(LMDBError) in
                try core.records.usedPages(transaction)
            }) ?? 0
        publish()
        if core.sharing == nil { core.sketch.load(from: directory, seed: core.records.seed) }
        enforceBudget()
        if compactsFirst { compactIfWorthwhile() }
        while true {
            let batch = core.queue.next(
                maxOperations: configuration.queue.maxBatchOperations,
                maxBytes: configuration.queue.maxBatchBytes.bytes,
                deadline: hasMaintenance && damage == nil ? .after(.zero) : wakeup,
                patience: patience
            )
            if let deadline = core.queue.closeDeadline {
                if batch.operations.isEmpty { return end() }
                if deadline.hasPassed { return abandon(batch) }
            }
            if !batch.operations.isEmpty { commit(batch) }
            watchReaders()
            guard core.queue.closeDeadline == nil else { continue }
            if retry.hasPassed { retryFailed() }
            guard damage == nil else { continue }
            maintain()
            advanceCheckpoint()
            checkReaders()
            if nextLook.hasPassed { noticeChanges() }
            if space.due.hasPassed { returnSpace() }
        }
    }

    /// When there is something to do even if nothing is queued.
    private var wakeup: Deadline {
        let deadlines =
            damage == nil ? [nextSweep, space.due, checkpointer?.wakeup ?? .never, readerCheck, nextLook] : []
        return deadlines.reduce(.earlier(retry, watch.due), Deadline.earlier)
    }

    /// Takes leave of what could not be done so far; returns why the store was not closed as it should be.
    private mutating func end() -> StoreError? {
        retireTombstones()
        return isDeleted ? deletion : nil
    }

    /// How long to wait for callers that come back together: less than the commit costs that each of them is spared.
    private var patience: Duration { min(commitDuration / 2, .milliseconds(1)) }

    private mutating func commit(_ batch: WriteQueue.Batch) {
        let start = ContinuousClock.now
        if damage != nil { startAfresh() }
        retireTombstones()
        (failuresForRoom, roomMade) = (0, 0)
        // Commands alone are no reason for a commit.
        let isCommit = batch.operations.contains { !$0.isCommand }
        let failures = isCommit ? apply(batch.operations[...]) : []
        if isCommit { commitDuration = ContinuousClock.now - start }
        let noteFailure = settleTombstones()
        core.queue.publish(batch, tombstones: tombstones.values)
        let refusal = runCommands(batch.operations) ?? noteFailure
        enforceBudget()
        if isCommit { core.published.withLock { $0.isFailing = !failures.isEmpty } }
        let sizes = publish()
        let errors = failures.map { (describe($0.error, doing: "writing a record"), $0.operation.key) }
        // Before the flushes go on: whoever flushes has been told.
        for (error, key) in errors { core.events.onWriteError?(error, key) }
        let failure = errors.first?.0 ?? refusal ?? checkpointFailure.take()
        core.queue.settle(batch, failure: failure ?? (isDeleted ? deletion : nil))
        if isCommit { growFile(sizes) }
    }

    /// Drops what is queued beyond the deadline; what it would have replaced goes too, so that nothing old comes back.
    private mutating func abandon(_ first: WriteQueue.Batch) -> StoreError? {
        let failure = StoreError(
            .timedOut,
            """
            closeDeadline of \(configuration.closeDeadline) passed with writes queued for the store at \(core.path); they \
            were dropped, and counted as droppedQueueFull: allow more time, or flush before closing
            """
        )
        var batch = first
        var hasDropped = false
        while !batch.operations.isEmpty {
            var dropped: UInt64 = 0
            let rest = batch.operations.map { operation -> WriteOperation in
                guard case .put = operation.action else { return operation }
                dropped += 1
                return WriteOperation(removing: operation.hash, like: operation)
            }
            (failuresForRoom, roomMade) = (0, 0)
            _ = apply(rest[...])
            _ = settleTombstones()
            core.queue.publish(batch, tombstones: tombstones.values)
            core.counters.droppedQueueFull.count(dropped)
            hasDropped = hasDropped || dropped > 0
            // Or a flush that waits would promise what was dropped.
            core.queue.settle(batch, failure: hasDropped ? failure : nil)
            batch = core.queue.next(maxOperations: 4096, maxBytes: 1 << 20, deadline: .after(.zero))
        }
        return hasDropped ? failure : nil
    }

    func describe(_ error: LMDBError, doing action: String) -> StoreError {
        .engine(error, path: core.path, doing: action)
    }

    /// Lets everybody see what the store has come to, and returns the sizes of its file.
    @discardableResult
    mutating func publish() -> EnvironmentStatistics {
        let statistics = environment.statistics
        core.published.withLock { published in
            // That of a shared store is kept by its sharing, and may be newer than the writer's.
            if core.sharing == nil { published.ledger = ledger }
            published.usedBytes = usedPages * environment.pageSize
            published.allocatedBytes = statistics.allocatedBytes
            published.fileBytes = statistics.fileBytes
            published.hidden = tombstones.count
            published.mapBytes = environment.mapBytes
        }
        isDeleted = isDeleted || statistics.links == 0
        space.note(allocated: statistics.allocatedBytes, used: usedPages * environment.pageSize)
        return statistics
    }
}
