internal import Threading

/// Waiting for the writer.
extension WriteQueue {
    /// Blocks until everything queued so far has had its effect, and takes the failure noted since the last time.
    func flush() -> StoreError? {
        let target = state.withLock { $0.lastTicket }
        return state.wait(until: { $0.settledTicket >= target || $0.isFinished }) { state, _ in
            state.failure.take()
        }
    }

    /// Blocks until everything queued so far has had its effect or `deadline` has passed; leaves noted failures alone.
    func waitUntilSettled(deadline: Deadline = .never) {
        let target = state.withLock { $0.lastTicket }
        state.wait(until: { $0.settledTicket >= target || $0.isFinished }, deadline: deadline) { _, _ in }
    }

    /// Calls `resume` once, when everything queued so far has had its effect.
    func flush(_ resume: @escaping @Sendable (StoreError?) -> Void) {
        let (isDone, error) = state.withLock { state -> (Bool, StoreError?) in
            guard state.settledTicket < state.lastTicket, !state.isFinished else { return (true, state.failure.take()) }
            state.flushes.append((state.lastTicket, resume))
            return (false, nil)
        }
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
