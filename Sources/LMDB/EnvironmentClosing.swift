internal import Synchronization

/// Whether an environment is closed, for someone who does not hold it: a weak reference is gone before that is done.
package final class EnvironmentClosing: Sendable {
    private let isFinished = Atomic(false)

    /// Whether LMDB has let go of the files.
    package var isDone: Bool { isFinished.load(ordering: .acquiring) }

    func finish() {
        isFinished.store(true, ordering: .releasing)
    }
}
