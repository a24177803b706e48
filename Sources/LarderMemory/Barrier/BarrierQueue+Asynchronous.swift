internal import Dispatch
internal import Synchronization

extension BarrierQueue {
    /// Runs `body` alone after everything queued before it, then `completion` as an ordinary block of the queue.
    ///
    /// The ticket is raised here, on the caller's thread: a later call from the same thread sees it and lines up.
    func enqueueWrite(_ body: @escaping @Sendable () -> Void, completion: (@Sendable () -> Void)?) {
        gate.add(BarrierGate.barrierTicket, ordering: .sequentiallyConsistent)
        queue.async(flags: .barrier) { [self] in
            writeInQueue(currentThreadToken(), body)
            gate.subtract(BarrierGate.barrierTicket, ordering: .releasing)
            // Not inside the barrier: a completion may call back and wait for what is queued behind it.
            if let completion { queue.async(execute: completion) }
        }
    }

    /// Runs `body` beside other reads after everything queued before it, then `completion` with its result.
    func enqueueRead<R>(
        _ body: @escaping @Sendable (_ lane: Int) -> R,
        completion: @escaping @Sendable (R) -> Void
    ) {
        gate.add(BarrierGate.readTicket, ordering: .sequentiallyConsistent)
        queue.async { [self] in
            let result = read(inQueue: body)
            gate.subtract(BarrierGate.readTicket, ordering: .releasing)
            completion(result)
        }
    }

    private func read<R>(inQueue body: (_ lane: Int) -> R) -> R {
        readInQueue(currentThreadToken(), body)
    }
}
