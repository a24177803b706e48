internal import Dispatch
internal import Synchronization

extension BarrierQueue {
    /// Runs `body` alone after everything queued before it, then `completion` with its result as an ordinary block.
    ///
    /// The ticket is raised here, on the caller's thread: a later call from the same thread sees it and lines up. What
    /// `body` returns is released with `completion`, so values that leave a cache are released outside the barrier.
    func enqueueWrite<R: Sendable>(
        _ body: @escaping @Sendable () -> R,
        completion: @escaping @Sendable (R) -> Void
    ) {
        gate.add(BarrierGate.barrierTicket, ordering: .sequentiallyConsistent)
        queue.async(flags: .barrier) { [self] in
            let result = writeInQueue(currentThreadToken(), body)
            gate.subtract(BarrierGate.barrierTicket, ordering: .releasing)
            // Not inside the barrier: a completion may call back and wait for what is queued behind it.
            queue.async { completion(result) }
        }
    }

    /// Runs `body` beside other reads after everything queued before it, then `completion` with its result.
    func enqueueRead<R>(
        _ body: @escaping @Sendable (_ lane: Int) -> R,
        completion: @escaping @Sendable (R) -> Void
    ) {
        gate.add(BarrierGate.readTicket, ordering: .sequentiallyConsistent)
        queue.async { [self] in
            let result = readInQueue(currentThreadToken(), body)
            gate.subtract(BarrierGate.readTicket, ordering: .releasing)
            completion(result)
        }
    }

    /// Waits until everything queued before has run, the completions of writes included.
    ///
    /// From inside a body or a block of the queue it returns at once: there it would wait for itself.
    func waitForQueue() {
        guard !isInside(currentThreadToken()), !isOnQueue else { return }
        // The first barrier comes after all queued bodies, the second after the completions that these have queued.
        for _ in 0..<2 { queue.sync(flags: .barrier) {} }
    }

    /// Calls `completion` once everything queued before has run, the completions of writes included.
    func whenQueueHasRun(_ completion: @escaping @Sendable () -> Void) {
        queue.async(flags: .barrier) { [self] in
            queue.async(flags: .barrier) { [self] in queue.async(execute: completion) }
        }
    }
}
