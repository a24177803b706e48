public import LarderMemory
internal import LarderStore
internal import Synchronization

extension TieredCache {
    /// The value that memory has under a key, unless another process may have replaced it.
    ///
    /// - Parameter key: The key.
    /// - Returns: The value; `nil` when there is none, or none that is certain to be current.
    @inlinable
    func valueFromMemory(forKey key: Key) -> Value? {
        guard !sharesDisk || isMemoryCurrent() else { return nil }
        return memory.value(forKey: key)
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
        // Noted only once memory is empty: whoever comes before that empties it as well.
        memory.removeAll(alongside: { [self] in
            generations.advanceAll()
            _ = seenChanges.max(changes, ordering: .acquiringAndReleasing)
        })
        return false
    }
}
