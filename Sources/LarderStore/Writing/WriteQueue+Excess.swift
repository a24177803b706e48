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
            // After one that is being committed another process may have written.
            return newest.ticket.load(ordering: .relaxed) > (isShared ? state.takenTicket : 0)
        }
        guard let excess = write.excess else { return false }
        // Otherwise a put may have been committed since the look.
        return hash == write.hash && excess.absentAt == publications.load(ordering: .relaxed)
    }

    /// Empties a table in place of the removal of `hash` and all those that wait; its other writes that were let in stay.
    ///
    /// Returns what tells of it once that is committed.
    func empty(_ table: TableState, removing hash: RecordHash, _ state: inout State) -> WriteOperation {
        let dead = table.queued
        state.newest[hash] = nil
        // The writer may be committing some of them: the clear comes after that.
        let puts = state.newest.values.filter { $0.table === table && $0.instance == dead && $0.isPut }
            .sorted { $0.ticket.load(ordering: .relaxed) < $1.ticket.load(ordering: .relaxed) }
        var waiting: [WriteOperation?] = []
        var first: (index: Int, ticket: UInt64)?
        for case let operation? in state.waiting[state.head...] {
            // What is of an earlier instance has a clear of its own.
            guard operation.table === table, operation.instance == dead else {
                waiting.append(operation)
                continue
            }
            if first == nil { first = (waiting.count, operation.ticket.load(ordering: .relaxed)) }
            if state.newest[operation.hash] === operation { state.newest[operation.hash] = nil }
        }
        let clear = clear(table, &state)
        let moved = puts.compactMap { $0.moved(to: clear.instance, seed: seed) }
        // In the place of the first that was taken out, and due before it: a flush may wait for what this stands in for.
        waiting.insert(contentsOf: [clear] + moved, at: first?.index ?? waiting.count)
        let ticket = first.map { $0.ticket - 1 } ?? state.lastTicket
        clear.ticket.store(ticket, ordering: .relaxed)
        for put in moved {
            put.ticket.store(ticket, ordering: .relaxed)
            state.newest[put.hash] = put
        }
        state.waiting = waiting
        state.head = 0
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
