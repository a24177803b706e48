internal import Synchronization
internal import Threading

/// The writer's side of the queue.
extension WriteQueue {
    /// Waits for work until `deadline`, then takes the oldest operations within the given bounds.
    ///
    /// Callers that wait for every write of theirs come back together, one after the other: the first of them would be
    /// committed alone while the others wait for the next commit. So the writer gives as many as waited for the last one
    /// time to come, up to `patience`; it goes on as soon as they have.
    func next(maxOperations: Int, maxBytes: Int, deadline: Deadline, patience: Duration = .zero) -> Batch {
        waitForWork(until: deadline)
        if patience > .zero { gather(for: patience, maxOperations: maxOperations) }
        return state.withLock { Self.take(&$0, maxOperations: maxOperations, maxBytes: maxBytes) }
    }

    private func gather(for patience: Duration, maxOperations: Int) {
        state.wait(
            until: { state in
                state.isGathering = state.count > 0 && state.count < maxOperations && !state.isGathered
                return !state.isGathering
            },
            deadline: .after(patience)
        ) { state, _ in state.isGathering = false }
    }

    private func waitForWork(until deadline: Deadline) {
        state.wait(
            until: { state in
                let isReady = state.count > 0 || state.closeDeadline != nil
                state.isWriterWaiting = !isReady
                return isReady
            },
            deadline: deadline
        ) { state, _ in state.isWriterWaiting = false }
    }

    private static func take(_ state: inout State, maxOperations: Int, maxBytes: Int) -> Batch {
        var batch = Batch()
        var bytes = 0
        while state.head < state.waiting.count, batch.operations.count < maxOperations {
            guard let operation = state.waiting[state.head] else { break }
            guard batch.operations.isEmpty || bytes + operation.bytes <= maxBytes else { break }
            bytes += operation.bytes
            batch.operations.append(operation)
            state.waiting[state.head] = nil
            state.head += 1
        }
        batch.ticket = state.settledTicket + UInt64(batch.operations.count)
        state.takenTicket = batch.ticket
        if state.head == state.waiting.count {
            state.waiting.removeAll(keepingCapacity: state.head <= 4096)
            state.head = 0
        } else if state.head >= 1024, state.head * 2 >= state.waiting.count {
            state.waiting.removeFirst(state.head)
            state.head = 0
        }
        return batch
    }

    /// Lets reads look at the disk again for what a batch has committed.
    ///
    /// `tombstones` go on hiding what could not be removed.
    func publish(_ batch: Batch, tombstones: some Collection<WriteOperation>) {
        state.withLock { state in
            publications.add(1, ordering: .releasing)
            for operation in batch.operations {
                // What has a successor is not the newest any more.
                guard operation.isVisible, operation.successor.load(ordering: .relaxed) == 0,
                    let index = state.newest.index(forKey: operation.hash), state.newest.values[index] === operation
                else { continue }
                state.newest.remove(at: index)
            }
            hide(tombstones, &state)
        }
    }

    /// Hides records from reads, as queued removals do.
    func hide(_ tombstones: some Collection<WriteOperation>) {
        guard !tombstones.isEmpty else { return }
        state.withLock { hide(tombstones, &$0) }
    }

    private func hide(_ tombstones: some Collection<WriteOperation>, _ state: inout State) {
        // A newer write of the same key hides the record already.
        for tombstone in tombstones where state.newest[tombstone.hash] == nil {
            state.newest[tombstone.hash] = tombstone
        }
        visible.store(state.newest.count, ordering: .releasing)
    }

    /// Ends a tombstone once the record under it is gone.
    func retire(_ tombstone: WriteOperation) {
        state.withLock { state in
            if state.newest[tombstone.hash] === tombstone { state.newest[tombstone.hash] = nil }
            visible.store(state.newest.count, ordering: .releasing)
        }
    }

    /// Notes that everything up to the end of a batch has had its effect, and lets flushes that waited for it go.
    func settle(_ batch: Batch, failure: StoreError?) {
        // In one step, for each wakes the callers that wait for room.
        room.giveBack(batch.operations.reduce(0) { $0 + $1.takeRoom() })
        let (ended, error) = state.withLock { state -> ([@Sendable (StoreError?) -> Void], StoreError?) in
            state.settledTicket = batch.ticket
            state.expectedFlushes = state.waitingFlushes
            // In their order, for a ticket is taken under this lock.
            state.awaited.removeFirst(state.awaited.prefix { $0 <= batch.ticket }.count)
            if state.failure == nil { state.failure = failure }
            let settled = state.settledTicket
            let ended = state.flushes.filter { $0.ticket <= settled }.map(\.resume)
            guard !ended.isEmpty else { return ([], nil) }
            state.flushes.removeAll { $0.ticket <= settled }
            return (ended, state.failure.take())
        }
        state.notifyAll()
        for resume in ended { resume(error) }
    }

    /// Whether an operation waits for the writer.
    var isAwaited: Bool { state.withLock { $0.count > 0 } }

    /// When the queue has to be empty, once closing was asked for.
    var closeDeadline: Deadline? { state.withLock { $0.closeDeadline } }

    /// Ends every wait for this queue; the writer has stopped for good.
    func finish(error: StoreError?) {
        room.close()
        let ended = state.withLock { state in
            state.isAccepting = false
            state.isFinished = true
            state.newest = [:]
            if let error, state.failure == nil { state.failure = error }
            visible.store(0, ordering: .releasing)
            defer { state.flushes = [] }
            return state.flushes.map(\.resume)
        }
        state.notifyAll()
        for resume in ended { resume(error) }
    }
}
