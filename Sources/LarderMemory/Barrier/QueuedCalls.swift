internal import Threading

/// The asynchronous calls of a `BarrierQueue` that have not run yet, in the order in which they were made.
///
/// They are not left to Dispatch alone: a synchronous call that must come after them runs them itself. If it waited for a
/// thread of the pool to do that, callers that occupy the pool would wait for each other for ever; the pool of Linux grows
/// by one thread a second at best.
final class QueuedCalls: Sendable {
    typealias Call = @Sendable () -> Void

    private struct State {
        var waiting = CallList<Call>()
        var added: UInt64 = 0
        var taken: UInt64 = 0
        var finished: UInt64 = 0
    }

    private let state = Lock(State())

    /// Adds a call.
    ///
    /// - Returns: Its number: one more than that of the call before.
    func add(_ call: @escaping Call) -> UInt64 {
        state.withLock { state in
            state.waiting.append(call)
            state.added += 1
            return state.added
        }
    }

    /// The number of the newest call if it, or any call before it, still has to run or is running.
    var newestUnfinished: UInt64? {
        state.withLock { $0.finished == $0.added ? nil : $0.added }
    }

    /// Whether the call with this number, and so every call before it, has run.
    func hasFinished(_ number: UInt64) -> Bool {
        state.withLock { $0.finished >= number }
    }

    /// Runs the calls up to a number; only for one thread at a time, which keeps their order.
    ///
    /// - Returns: The calls that have run, for the caller to release where foreign code may run: they hold keys and values.
    func run(through number: UInt64) -> [Call] {
        var spent: [Call] = []
        while let call = next(through: number) {
            call()
            state.withLock { $0.finished += 1 }
            spent.append(call)
        }
        return spent
    }

    private func next(through number: UInt64) -> Call? {
        state.withLock { state in
            guard state.taken < number, let call = state.waiting.popFirst() else { return nil }
            state.taken += 1
            return call
        }
    }
}
