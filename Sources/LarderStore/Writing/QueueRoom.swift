internal import Threading

/// The bytes that may wait in the write queue.
///
/// Apart from the queue's own lock, so that a caller waiting for room is never in the way of the writer, and so that room
/// can be given back from any `deinit`.
final class QueueRoom: Sendable {
    private struct State {
        var used = 0
        /// How far the last write that was let in went beyond the limit: it may alone be larger than the queue.
        var surplus = 0
        var hasWaiters = false
        var isClosed = false
    }

    enum Answer {
        case admitted(Admission)
        case full
        case closed
    }

    private let state = Lock(State())
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    /// Takes `bytes` of room; a write larger than the whole queue gets in when the queue is empty.
    func admit(_ bytes: Int, waits: Bool) -> Answer {
        let answer: Bool? = state.wait(
            until: { state in
                let isReady = state.isClosed || !waits || state.used == 0 || state.used + bytes <= limit
                if !isReady { state.hasWaiters = true }
                return isReady
            },
            { state, _ in
                guard !state.isClosed else { return nil }
                guard state.used == 0 || state.used + bytes <= limit else { return false }
                state.used += bytes
                state.surplus = max(state.used - limit, 0)
                return true
            }
        )
        switch answer {
        case nil: return .closed
        case false?: return .full
        case true?: return .admitted(Admission(self, bytes: bytes))
        }
    }

    /// Takes `bytes` of room even beyond the limit, for what must not wait: removals that stand in for dropped writes.
    func admitAlways(_ bytes: Int) -> Admission {
        state.withLock { $0.used += bytes }
        return Admission(self, bytes: bytes)
    }

    func giveBack(_ bytes: Int) {
        let wakes = state.withLock { state in
            state.used -= bytes
            // Whoever still finds no room asks again, and so sets the mark again.
            defer { state.hasWaiters = false }
            return state.hasWaiters
        }
        if wakes { state.notifyAll() }
    }

    /// Lets every waiting caller go, empty-handed.
    func close() {
        state.withLock { $0.isClosed = true }
        state.notifyAll()
    }

    /// Whether what was let in beyond the limit takes as much again as the limit, or a mebibyte if that is more.
    ///
    /// A write that is alone larger than the queue is none of that.
    var isExceeded: Bool { state.withLock { $0.used - $0.surplus > limit + max(limit, 1 << 20) } }

    var used: Int { state.withLock { $0.used } }
}
