internal import Threading

/// Waiting for the writer.
extension WriteQueue {
    /// Blocks until everything queued so far has had its effect, and takes the failure noted since the last time.
    func flush() -> StoreError? {
        // Asked first under the lock that is then waited in: many callers meet there.
        var target: UInt64?
        return state.wait(
            until: { queue in
                if let target { return queue.settledTicket >= target || queue.isFinished }
                guard queue.settledTicket < queue.lastTicket, !queue.isFinished else { return true }
                target = queue.lastTicket
                queue.awaited.append(queue.lastTicket)
                if Self.completes(&queue) { state.notifyAll() }
                return false
            }
        ) { queue, _ in queue.failure.take() }
    }

    /// Whether a flush that has just begun to wait is the last one that the writer gives time to come.
    private static func completes(_ state: inout State) -> Bool {
        guard state.isGathering, state.isGathered else { return false }
        state.isGathering = false
        return true
    }

    /// Blocks until everything queued so far has had its effect or `deadline` has passed; leaves noted failures alone.
    func waitUntilSettled(deadline: Deadline = .never) {
        let target = state.withLock { $0.lastTicket }
        state.wait(until: { $0.settledTicket >= target || $0.isFinished }, deadline: deadline) { _, _ in }
    }

    /// Calls `resume` once, when everything queued so far has had its effect.
    func flush(_ resume: @escaping @Sendable (StoreError?) -> Void) {
        let (isDone, error, wakes) = state.withLock { state -> (Bool, StoreError?, Bool) in
            guard state.settledTicket < state.lastTicket, !state.isFinished else {
                return (true, state.failure.take(), false)
            }
            state.flushes.append((state.lastTicket, resume))
            return (false, nil, Self.completes(&state))
        }
        if wakes { state.notifyAll() }
        if isDone { resume(error) }
    }

    /// Stops accepting writes and tells the writer to end; later calls change nothing.
    func close(within duration: Duration) {
        room.close()
        state.withLock { state in
            state.isAccepting = false
            if state.closeDeadline == nil { state.closeDeadline = .after(duration) }
        }
        state.notifyAll()
    }

    /// Blocks until the writer has ended or `deadline` has passed; returns whether it has ended, and its failure.
    func waitUntilFinished(deadline: Deadline) -> (isFinished: Bool, failure: StoreError?) {
        state.wait(until: { $0.isFinished }, deadline: deadline) { state, isFinished in
            (isFinished, isFinished ? state.failure.take() : nil)
        }
    }
}
