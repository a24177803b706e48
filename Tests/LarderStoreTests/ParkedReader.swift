import Threading

@testable import LarderStore

/// A read that goes on until it is told to end, as one on a disk that hangs would.
final class ParkedReader: Sendable {
    private let state = Lock((isReading: false, mayLeave: false))
    private let thread: OSThread

    init?(_ store: Store) {
        let (state, readers) = (state, store.core.readers)
        guard
            let thread = try? OSThread({
                _ = try? readers.read { _ in
                    state.withLock { $0.isReading = true }
                    state.notifyAll()
                    state.wait(until: { $0.mayLeave }) { _, _ in }
                }
            })
        else { return nil }
        self.thread = thread
        state.wait(until: { $0.isReading }) { _, _ in }
    }

    /// Ends the read, and returns when it has.
    func leave() {
        state.withLock { $0.mayLeave = true }
        state.notifyAll()
        thread.join()
    }
}
