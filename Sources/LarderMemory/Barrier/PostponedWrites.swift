internal import Threading

/// Writes that were called from inside a body of a `BarrierQueue`, on their way to being run right after it.
///
/// They are added by the thread on the exclusive side and claimed by it before it leaves, so no other thread can run
/// them, nor can it return before they have run. A claimed write that postpones writes in turn (a hook that writes again)
/// adds them to the claim that is being worked off: first in, first out, in a loop.
final class PostponedWrites: Sendable {
    typealias Write = @Sendable () -> Void

    private struct State {
        var added: [Write] = []
        /// What each thread is working off at the moment.
        var claims: [UInt: Claim] = [:]
    }

    /// A queue of two stacks: `added` behind, `next` in front and reversed.
    private struct Claim {
        var added: [Write]
        var next: [Write] = []

        mutating func popFirst() -> Write? {
            if next.isEmpty {
                next = added.reversed()
                added = []
            }
            return next.popLast()
        }
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
            defer { state.added = [] }
            if state.claims[token] == nil {
                state.claims[token] = Claim(added: state.added)
                return true
            }
            state.claims[token]?.added.append(contentsOf: state.added)
            return false
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
