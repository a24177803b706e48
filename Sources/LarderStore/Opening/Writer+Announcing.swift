internal import Glibc
internal import LMDB

/// Saying in STATE that the store is open.
extension Writer {
    /// Says so before anything else is written to the store's files; does nothing from the second time on.
    ///
    /// An opening of files that are as they were closed writes nothing, for the sake of its speed. Until the first commit
    /// they stay exactly those files, and STATE, which says so, stays true: whether the process is killed, the power fails or
    /// the store is closed, the next opening finds a store that was closed in order. From the first commit on that would be a
    /// lie, so the note is on the disk before the commit touches the data file; and with durability `.checkpointed` there
    /// is a checkpoint to go back to before that.
    ///
    /// What fails is tried again with the next commit.
    mutating func announce() throws(LMDBError) {
        guard !isAnnounced else { return }
        do throws(StoreError) {
            if configuration.durability == .checkpointed, checkpointer == nil {
                checkpointer = try Checkpointer(environment, directory, configuration.checkpoint)
            }
            try directory.announce(configuration.durability)
        } catch {
            throw error.cause as? LMDBError ?? LMDBError(call: "write STATE", result: EIO)
        }
        isAnnounced = true
    }
}

extension StoreDirectory {
    /// Says that the store is open and how, for the opening after a crash.
    func announce(_ durability: Durability) throws(StoreError) {
        try replace(StateFile.name, with: StateFile(isClean: false, durability: durability).encoded)
    }
}
