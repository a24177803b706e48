import LarderStore
import Threading

/// Holds every commit for as long as it is closed, as a disk does that hangs.
final class CommitGate: Sendable {
    private let isOpen: Lock<Bool>

    init(isOpen: Bool = false) {
        self.isOpen = Lock(isOpen)
    }

    var hooks: StoreFaults {
        StoreFaults(beforeCommit: { [self] _ in
            isOpen.wait(until: { $0 }) { _, _ in }
            return nil
        })
    }

    func open() {
        isOpen.withLock { $0 = true }
        isOpen.notifyAll()
    }

    func close() {
        isOpen.withLock { $0 = false }
    }
}
