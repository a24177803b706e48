internal import Synchronization

/// Removals beyond the limit of a queue that drops what finds it full.
///
/// They cannot be dropped, or older values would be read in place of the newer ones that were. But the disk may hang for as
/// long as it likes, and what waits has to stay bounded: so what removes nothing is not queued, and once the rest would
/// take as much again as the queue, the table is emptied, after which nothing is left to remove.
extension WriteQueue {
    /// Whether everything that the removal could remove is gone without it.
    func isNeedless(_ write: PreparedWrite, _ hash: RecordHash, _ state: State) -> Bool {
        if let newest = state.newest[hash] {
            // One that waits, or is being committed, does the same; one that has failed was never queued itself, and is
            // told to nobody who flushes from now on.
            guard case .remove = newest.action else { return false }
            // After one that is being committed another process may have written.
            return newest.ticket.load(ordering: .relaxed) > (isShared ? state.takenTicket : 0)
        }
        guard let excess = write.excess else { return false }
        // Otherwise a put may have been committed since the look.
        return hash == write.hash && excess.absentAt == publications.load(ordering: .relaxed)
    }

    /// Empties a table in place of more removals than may wait.
    ///
    /// Nothing is stored in the emptied table, so that no further removal is needed until there is room for writes again.
    /// Returns whether the writer is to be woken.
    func empty(_ table: TableState, _ state: inout State) -> Bool {
        let dead = table.queued
        let lost = state.newest.values.count { $0.table === table && $0.instance == dead && $0.isPut }
        let recovery = StoreRecovery(
            reason: .queueOverflowed,
            detail: """
                the disk did not keep up, and more older values of dropped writes were to be removed from table \
                "\(table.name)" than may wait, so that it was emptied: look at the disk, or raise queue.bytes
                """,
            quarantine: nil
        )
        let wakes = push(clear(table, &state), &state)
        return push(WriteOperation(.emptied(recovery, lost: lost)), &state) || wakes
    }
}

extension WriteOperation {
    fileprivate var isPut: Bool {
        if case .put = action { true } else { false }
    }
}
