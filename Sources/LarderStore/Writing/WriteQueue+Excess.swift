internal import Synchronization

/// Removals beyond the limit of a queue that drops what finds it full.
///
/// They cannot be dropped, or older values would be read in place of the newer ones that were. But the disk may hang for as
/// long as it likes, and what waits has to stay bounded: so what removes nothing is not queued, and once the rest would
/// take as much again as the queue, one emptying of the table stands in for it.
extension WriteQueue {
    /// Whether everything that the removal could remove is gone without it.
    func isNeedless(_ write: PreparedWrite, _ hash: RecordHash, _ state: State) -> Bool {
        if let newest = state.newest[hash] {
            // One that waits, or is being committed, does the same; one that has failed was never queued itself, and is
            // told to nobody who flushes from now on.
            guard case .remove = newest.action else { return false }
            return newest.ticket.load(ordering: .relaxed) > 0
        }
        guard let excess = write.excess else { return false }
        // Otherwise a put may have been committed since the look.
        return hash == write.hash && excess.absentAt == publications.load(ordering: .relaxed)
    }

    /// Empties a table in place of all the removals that wait; its writes that were let in stay in the queue.
    ///
    /// Returns what tells of it once that is committed.
    func empty(_ table: TableState, _ state: inout State) -> WriteOperation {
        let dead = table.queued
        // The writer may be committing some of them: the clear comes after that.
        let puts = state.newest.values.filter { $0.table === table && $0.instance == dead && $0.isPut }
            .sorted { $0.ticket.load(ordering: .relaxed) < $1.ticket.load(ordering: .relaxed) }
        let waiting = state.waiting[state.head...].compactMap(\.self)
        state.waiting = []
        state.head = 0
        for operation in waiting {
            guard operation.table === table else {
                state.waiting.append(operation)
                continue
            }
            if state.newest[operation.hash] === operation { state.newest[operation.hash] = nil }
        }
        let clear = clear(table, &state)
        _ = push(clear, &state)
        for put in puts {
            guard let moved = put.moved(to: clear.instance, seed: seed) else { continue }
            _ = push(moved, &state)
        }
        visible.store(state.newest.count, ordering: .releasing)
        return WriteOperation(
            .report(
                StoreRecovery(
                    reason: .queueOverflowed,
                    detail: """
                        the disk did not keep up, and more older values of dropped writes were to be removed from table \
                        "\(table.name)" than may wait, so that it was emptied: look at the disk, or raise queue.bytes
                        """,
                    quarantine: nil
                )
            )
        )
    }
}

extension WriteOperation {
    fileprivate var isPut: Bool {
        if case .put = action { true } else { false }
    }

    /// The same put in another instance of its table; `nil` for anything else.
    ///
    /// Shares the room in the queue, which the first of the two that is settled gives back.
    fileprivate func moved(to instance: UInt32, seed: HashSeed) -> WriteOperation? {
        guard case .put(var header, let content) = action else { return nil }
        header.instance = instance
        // Safety: bytes have no padding.
        let key = unsafe content.span.bytes.extracting(first: Int(header.keyLength))
        return WriteOperation(
            .put(header, content: content),
            hash: seed.hash(instance: instance, key: key),
            instance: instance,
            key: [],
            table: table,
            admission: admission
        )
    }
}
