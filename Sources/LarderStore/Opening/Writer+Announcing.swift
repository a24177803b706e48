internal import Glibc
internal import LMDB

/// Saying in STATE that the store is open, and which records are hidden.
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
        do throws(StoreError) {
            if !isAnnounced {
                if configuration.durability == .checkpointed, checkpointer == nil {
                    checkpointer = try Checkpointer(environment, directory, configuration.checkpoint, core.faults)
                }
                let hidden = hidden
                try directory.announce(configuration.durability, hiding: hidden)
                notedHidden = hidden
                isAnnounced = true
            }
            // What was hidden may be written again by this commit, and must not be hidden if the process is then killed.
            if !notedHidden.isSubset(of: hidden) { try noteHidden() }
        } catch {
            throw error.cause as? LMDBError ?? LMDBError(call: "write STATE", result: EIO)
        }
    }

    /// What the next opening must not find, if this one ends now.
    var hidden: HiddenRecords { hasUnsavedClear ? .all : HiddenRecords(tombstones.keys) }

    /// Sees to it that what reads must not find is not found by the next opening either.
    ///
    /// Not in a shared store: another process may commit a newer record of the same key, which must not be hidden then.
    mutating func noteHidden() throws(StoreError) {
        guard core.sharing == nil else { return }
        let hidden = hidden
        guard hidden != notedHidden else { return }
        var state = StateFile(isClean: false, durability: configuration.durability)
        state.isSuspect = isSuspect
        if !isAnnounced {
            // There may be no room even to say that the store is open; it is as it was closed, then.
            guard let found = directory.state else { return }
            state = found
        }
        state.hidden = hidden
        try directory.overwrite(StateFile.name, with: state.encoded)
        notedHidden = hidden
    }
}

extension StoreDirectory {
    /// Says that the store is open and how, for the opening after a crash.
    func announce(_ durability: Durability, hiding hidden: HiddenRecords = HiddenRecords()) throws(StoreError) {
        var state = StateFile(isClean: false, durability: durability)
        state.hidden = hidden
        try replace(StateFile.name, with: state.encoded)
    }
}
