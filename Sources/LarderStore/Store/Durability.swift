/// What a store promises about writes that were flushed.
///
/// All modes survive a killed process. They differ in what the crash of the whole system or a power loss may take.
@nonexhaustive
public enum Durability: String, Sendable, Hashable, CaseIterable {
    /// Everything a returned `flush()` covered survives power loss.
    case strict

    /// The store is intact after power loss; the last commit may be missing.
    case commit

    /// No commit is synced, but at intervals all of them are: after power loss the store is as it was at the last of these
    /// checkpoints, intact.
    ///
    /// `StoreConfiguration.Checkpoint` says how far back that is at most. Nearly as quick as `.fast`.
    case checkpointed

    /// Nothing is synced: after a system crash that found the store open, it starts empty, never wrong.
    case fast
}

/// What happens to a write when the queue of writes is full.
@nonexhaustive
public enum QueueOverflow: String, Sendable, Hashable, CaseIterable {
    /// The caller waits until there is room.
    case wait

    /// The write is dropped and counted; what was stored under its key is removed.
    ///
    /// Nothing waits for the disk to take a write. That a dropped one has nothing to remove is seen in the index, in the
    /// system's cache as a rule. The other removals get in beyond the limit, one a key, and may take as much again as
    /// `StoreConfiguration.Queue.bytes`, or a mebibyte if that is more: some four thousand keys a mebibyte. Beyond that the
    /// table is emptied, of what it has stored and of the writes that wait, which are counted as dropped, too.
    /// `StoreEvents.onRecovery` is told once that is committed.
    case drop
}
