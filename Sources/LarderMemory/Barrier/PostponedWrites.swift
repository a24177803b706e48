internal import Threading

/// Writes that were called from inside a body of a `BarrierQueue`, on their way to being run right after it.
///
/// They are added by the thread on the exclusive side and claimed by it before it leaves, so no other thread can run
/// them, nor can it return before they have run. A claimed write that postpones writes in turn (a hook that writes again)
/// adds them to the claim that is being worked off: first in, first out, in a loop.
final class PostponedWrites: Sendable {
    typealias Write = @Sendable () -> Void

    private struct State {
        var added = CallList<Write>()
        /// What each thread is working off at the moment.
        var claims: [UInt: CallList<Write>] = [:]
    }

    private let state = Lock(State())

    /// Adds a write; only for the thread on the exclusive side.
    func add(_ write: @escaping Write) {
        state.withLock { $0.added.append(write) }
    }

    /// Takes what was added since the exclusive side was entered; only for the thread on that side.
    ///
    /// - Returns: Whether `runClaimed` must be called; `false` when that is happening further up this thread's stack.
    func claim(by token: UInt) -> Bool {
        state.withLock { state in
            let isOutermost = state.claims[token] == nil
            state.claims[token, default: CallList()].takeAll(from: &state.added)
            return isOutermost
        }
    }

    /// Runs the claimed writes in order, with those that they postpone, until none is left.
    func runClaimed(by token: UInt) {
        while let write = nextClaimed(by: token) { write() }
    }

    private func nextClaimed(by token: UInt) -> Write? {
        state.withLock { state in
            guard let write = state.claims[token]?.popFirst() else {
                state.claims[token] = nil
                return nil
            }
            return write
        }
    }
}
