internal import Glibc
internal import LMDB
internal import Synchronization
internal import Threading

/// The one owner of write transactions; lives on its own thread from the store's opening to its end.
///
/// What is queued together commits together. A batch that fails is halved until the culprit alone fails; then the record
/// under its key is removed instead, and if not even that can be committed the removal goes on hiding it from reads.
struct Writer: ~Copyable {
    let core: StoreCore
    /// Another one after a compaction.
    var environment: Environment
    let directory: StoreDirectory
    /// Only with durability `.checkpointed`.
    let checkpointer: Checkpointer?
    /// For the next flush: why there can be no more checkpoints.
    var checkpointFailure: StoreError?
    var space = SpaceSchedule()
    var ledger: Ledger
    var tombstones: [WriteOperation] = []
    var usedPages = 0
    var nextSweep: Deadline
    var expiresNow = false
    var deadCursor: UInt64 = 0
    /// From where on packs are to be looked at of which less than half may live; at first all, for an end without order.
    var thinFrom: UInt64? = 0
    /// The instances the running sweep began with.
    var deadPass: Set<UInt32> = []
    /// Set when the engine reported damage: the next open must not trust the file.
    var isSuspect = false

    var records: RecordStore { core.records }
    var configuration: StoreConfiguration { core.configuration }

    /// Takes the engine out of its holder, so that nobody else keeps it open; `nil` if it is gone.
    init?(core: StoreCore, engine holder: Lock<StoreEngine?>, directory: StoreDirectory) {
        guard let engine = holder.withLock({ $0.take() }) else { return nil }
        self.core = core
        environment = engine.environment
        checkpointer = engine.checkpointer
        self.directory = directory
        ledger = core.published.withLock { $0.ledger }
        nextSweep = Self.sweepDeadline(core.configuration)
    }

    static func sweepDeadline(_ configuration: StoreConfiguration) -> Deadline {
        configuration.expiryInterval > .zero ? .after(configuration.expiryInterval) : .never
    }

    /// Works until the store is closed; returns the failure of the last writes, if closing ran out of time.
    mutating func run(compactsFirst: Bool) -> StoreError? {
        core.writerThread.store(UInt64(pthread_self()), ordering: .relaxed)
        usedPages =
            (try? environment.read { (transaction) throws(LMDBError) in
                try core.records.usedPages(transaction)
            }) ?? 0
        publish()
        enforceBudget()
        if compactsFirst { compactIfWorthwhile() }
        while true {
            let batch = core.queue.next(
                maxOperations: configuration.queue.maxBatchOperations,
                maxBytes: configuration.queue.maxBatchBytes.bytes,
                deadline: hasMaintenance
                    ? .after(.zero) : .earlier(.earlier(nextSweep, space.due), checkpointer?.wakeup ?? .never)
            )
            if let deadline = core.queue.closeDeadline {
                if batch.operations.isEmpty { return nil }
                if deadline.hasPassed { return abandon(batch) }
            }
            if !batch.operations.isEmpty { commit(batch) }
            guard core.queue.closeDeadline == nil else { continue }
            maintain()
            advanceCheckpoint()
            if space.due.hasPassed { returnSpace() }
        }
    }

    private mutating func commit(_ batch: WriteQueue.Batch) {
        retireTombstones()
        let failures = apply(batch.operations[...], makesRoom: true)
        core.queue.publish(batch, tombstones: tombstones)
        let refusal = runCommands(batch.operations)
        enforceBudget()
        publish()
        let errors = failures.map { (describe($0.error, doing: "writing a record"), $0.operation.key) }
        // Before the flushes go on: whoever flushes has been told.
        for (error, key) in errors { core.events.onWriteError?(error, key) }
        core.queue.settle(batch, failure: errors.first?.0 ?? refusal ?? checkpointFailure.take())
    }

    struct Failure {
        let operation: WriteOperation
        let error: LMDBError
    }

    /// Commits the operations, in halves if need be, and returns those that failed for good.
    mutating func apply(_ operations: ArraySlice<WriteOperation>, makesRoom: Bool) -> [Failure] {
        do throws(LMDBError) {
            try transact(operations)
            return []
        } catch {
            isSuspect = isSuspect || error.isDamage
            if makesRoom, makeRoom(after: error) { return apply(operations, makesRoom: false) }
            guard operations.count > 1 else { return fail(operations[operations.startIndex], error) }
            let middle = operations.startIndex + operations.count / 2
            return apply(operations[..<middle], makesRoom: false) + apply(operations[middle...], makesRoom: false)
        }
    }

    private mutating func fail(_ operation: WriteOperation, _ error: LMDBError) -> [Failure] {
        core.counters.writeFailures.count()
        switch operation.action {
        case .put, .remove:
            let removal = WriteOperation(
                .remove,
                hash: operation.hash,
                instance: operation.instance,
                key: operation.key,
                admission: nil
            )
            if (try? transact([removal])) == nil { tombstones.append(removal) }
        case .register(let table):
            // Kept in memory all the same: the next commit that succeeds saves it.
            ledger.register(table.name, keyKind: table.keyKind, instance: operation.instance)
        case .clear(let table, let dead):
            ledger.clear(table.name, keyKind: table.keyKind, dead: dead, next: operation.instance)
        case .discard, .restamp, .removeExpired, .trim, .compact:
            break
        }
        return [Failure(operation: operation, error: error)]
    }

    private mutating func retireTombstones() {
        guard !tombstones.isEmpty, (try? transact(tombstones[...])) != nil else { return }
        for tombstone in tombstones { core.queue.retire(tombstone) }
        tombstones = []
    }

    /// Evicts a twentieth when that can help, and returns whether it did.
    ///
    /// Freed pages are used again before the file grows, so a full disk is helped too; but a store that is small beside its
    /// budget did not fill the disk, and would be emptied for nothing.
    private mutating func makeRoom(after error: LMDBError) -> Bool {
        let isLarge = usedPages * 4 > configuration.budget.bytes / environment.pageSize
        switch error.code {
        case .mapFull, .transactionFull: break
        case .noSpace where isLarge, .inputOutput where isLarge: break
        default: return false
        }
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
        return reached != nil
    }

    /// Drops what is queued beyond the deadline; what it would have replaced goes too, so that nothing old comes back.
    private mutating func abandon(_ first: WriteQueue.Batch) -> StoreError? {
        var batch = first
        var dropped: UInt64 = 0
        while !batch.operations.isEmpty {
            let rest = batch.operations.map { operation -> WriteOperation in
                guard case .put = operation.action else { return operation }
                dropped += 1
                return WriteOperation(
                    .remove,
                    hash: operation.hash,
                    instance: operation.instance,
                    key: operation.key,
                    admission: nil
                )
            }
            _ = apply(rest[...], makesRoom: false)
            core.queue.publish(batch, tombstones: tombstones)
            core.queue.settle(batch, failure: nil)
            batch = core.queue.next(maxOperations: 4096, maxBytes: 1 << 20, deadline: .after(.zero))
        }
        core.counters.droppedQueueFull.count(dropped)
        guard dropped > 0 else { return nil }
        return StoreError(
            .timedOut,
            """
            closeDeadline of \(configuration.closeDeadline) passed with \(dropped) writes queued for the store at \
            \(core.path); they were dropped: allow more time, or flush before closing
            """
        )
    }

    func describe(_ error: LMDBError, doing action: String) -> StoreError {
        .engine(error, path: core.path, doing: action)
    }

    mutating func publish() {
        let statistics = environment.statistics
        core.published.withLock { published in
            published.ledger = ledger
            published.usedBytes = usedPages * environment.pageSize
            published.allocatedBytes = statistics.allocatedBytes
            published.fileBytes = statistics.fileBytes
        }
        space.note(allocated: statistics.allocatedBytes, used: usedPages * environment.pageSize)
    }
}
