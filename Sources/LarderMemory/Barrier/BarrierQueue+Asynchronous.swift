internal import Dispatch
internal import Synchronization

extension BarrierQueue {
    /// Runs `body` alone after everything queued before it, then `completion` with its result on `queue`.
    ///
    /// What `body` returns is released with `completion`, so values that leave a cache are released outside the barrier.
    func enqueueWrite<R: Sendable>(
        _ body: @escaping @Sendable () -> R,
        completion: @escaping @Sendable (R) -> Void
    ) {
        enqueue(ticket: BarrierGate.barrierTicket) { [self] in
            let result = writeInTurn(currentThreadToken(), body)
            // Not in the barrier: a completion may take its time, and call back.
            queue.async { completion(result) }
        }
    }

    /// Runs `body` beside other reads after everything queued before it, then `completion` with its result on `queue`.
    func enqueueRead<R: Sendable>(
        _ body: @escaping @Sendable (_ lane: Int) -> R,
        completion: @escaping @Sendable (R) -> Void
    ) {
        enqueue(ticket: BarrierGate.readTicket) { [self] in
            let result = readInTurn(currentThreadToken(), body)
            queue.async { completion(result) }
        }
    }

    /// Queues a call that runs at the head of the line: its reads and writes are made in place.
    ///
    /// The ticket is raised here, on the caller's thread: a later call from the same thread sees it and lines up.
    func enqueue(ticket: UInt64, _ call: @escaping @Sendable () -> Void) {
        gate.add(ticket, ordering: .sequentiallyConsistent)
        let number = calls.add { [self] in
            call()
            gate.subtract(ticket, ordering: .releasing)
        }
        runner.async { [self] in
            // A synchronous call may have run it already.
            if !calls.hasFinished(number) { runCalls(through: number) }
        }
    }

    /// Waits until everything queued before has run, completions included.
    ///
    /// From inside a body, a block of the queue or one of its target it returns at once: there it would wait for itself.
    func waitForQueue() {
        let token = currentThreadToken()
        guard !isInside(token), !isAtHeadOfLine(token), DispatchQueue.getSpecific(key: marker) == nil else { return }
        if let newest = calls.newestUnfinished { runCalls(through: newest) }
        // Behind the completions that the calls have queued.
        queue.sync(flags: .barrier) {}
    }

    /// Calls `completion` once everything queued before has run, completions included.
    func whenQueueHasRun(_ completion: @escaping @Sendable () -> Void) {
        // The first barrier comes after the runner, the second after the completions that the calls have queued.
        queue.async(flags: .barrier) { [self] in
            queue.async(flags: .barrier) { [self] in queue.async(execute: completion) }
        }
    }
}
