internal import Dispatch
public import LarderMemory
internal import LarderStore
internal import Synchronization
internal import Threading

extension TieredCache {
    /// The value that memory has under a key, unless another process may have replaced it.
    ///
    /// - Parameter key: The key.
    /// - Returns: The value; `nil` when there is none, or none that is certain to be current.
    @inlinable
    func valueFromMemory(forKey key: Key) -> Value? {
        guard !sharesDisk || isMemoryCurrent() else { return nil }
        return memory.value(forKey: key, asTier: true)
    }

    /// Whether memory has nothing that other processes have changed; if it may have, it is emptied.
    ///
    /// What another process has changed is not known in detail, and to look every entry up would cost what memory saves.
    /// Writes of this process that are still queued are found on disk.
    ///
    /// - Returns: Whether memory can be read; if not, the disk has to be.
    @usableFromInline
    func isMemoryCurrent() -> Bool {
        guard let disk, !isClosed, let changes = disk.store.externalChanges() else { return false }
        guard changes > seenChanges.load(ordering: .acquiring) else { return true }
        // Noted only once memory is empty: whoever comes before that waits for it, and need not empty it again.
        memory.removeAll(
            admits: { [self] in changes > seenChanges.load(ordering: .acquiring) },
            alongside: { [self] in
                generations.advanceAll()
                _ = seenChanges.max(changes, ordering: .acquiringAndReleasing)
            }
        )
        return false
    }

    /// Has memory looked after soon, although nobody reads.
    ///
    /// Not on the thread of the caller, which may be the one that writes to the disk: emptying memory waits for the barrier,
    /// and a hook inside that may wait for the disk.
    func queueLook() {
        guard !isLookQueued.exchange(true, ordering: .acquiringAndReleasing) else { return }
        DispatchQueue.global(qos: .utility).async { [weak self] in
            guard let self else { return }
            // Before the look: what comes during it is for the next one.
            isLookQueued.store(false, ordering: .releasing)
            _ = isMemoryCurrent()
        }
    }
}

/// Leads from the events of a store to the cache, which is not there yet when the store is opened.
final class ChangeRelay: Sendable {
    private let end = Lock<(@Sendable () -> Void)?>(nil)

    /// Says what is to be done from now on; before that memory is empty, and there is nothing to do.
    func lead(to end: @escaping @Sendable () -> Void) {
        self.end.withLock { $0 = end }
    }

    func pass() {
        end.withLock { $0 }?()
    }
}
