import LMDB
import Threading

@testable import LarderStore

/// A read that goes on until it is told to end, as one on a disk that hangs would.
final class ParkedReader: Sendable {
    private struct State {
        /// `nil` until it reads.
        var entries: Int?
        var mayLeave = false
    }

    private let state: Lock<State>
    private let thread: OSThread

    /// The records that its snapshot has.
    let entries: Int

    init?(_ store: Store) {
        let (state, core) = (Lock(State()), store.core)
        let read = { @Sendable in
            _ = try? core.readers.read { (transaction) throws(LMDBError) in
                let entries = try transaction.statistics(of: core.records.index).entries
                state.withLock { $0.entries = entries }
                state.notifyAll()
                state.wait(until: { $0.mayLeave }) { _, _ in }
            }
            // One that gets no reader is not waited for in vain.
            state.withLock { $0.entries = $0.entries ?? -1 }
            state.notifyAll()
        }
        guard let thread = try? OSThread(read) else { return nil }
        let entries = state.wait(until: { $0.entries != nil }) { state, _ in state.entries ?? -1 }
        guard entries >= 0 else { return nil }
        (self.state, self.thread, self.entries) = (state, thread, entries)
    }

    /// Ends the read, and returns when it has.
    func leave() {
        state.withLock { $0.mayLeave = true }
        state.notifyAll()
        thread.join()
    }
}
