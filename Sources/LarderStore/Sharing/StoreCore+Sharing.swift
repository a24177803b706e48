internal import LMDB
internal import Synchronization
internal import Threading

/// Reads of a store that other processes may be writing to.
extension StoreCore {
    private enum Step<R> {
        case done(R)
        case outdated
    }

    /// Runs `body` in the newest snapshot, with every commit in it taken into account; `nil` if no reader is to be had.
    ///
    /// Reports the commits of other processes that it has met, before it returns.
    func read<R>(_ body: (borrowing ReadTransaction) throws(LMDBError) -> R) throws(LMDBError) -> R? {
        guard let sharing else { return try readers.read(body) }
        while true {
            var change: StoreExternalChange?
            defer { if let change { events.onExternalChange?(change) } }
            let step = try readOnce { (transaction) throws(LMDBError) -> Step<R> in
                let snapshot = transaction.number
                change = try sharing.follow(snapshot, records, transaction)
                // What is in memory may have moved on since the snapshot was taken: the next one is as new.
                guard sharing.isCurrent(snapshot) else { return .outdated }
                return .done(try body(transaction))
            }
            switch step {
            case nil: return nil
            case .done(let result)?: return result
            case .outdated?: continue
            }
        }
    }

    /// A lookup by key in a table that another process may clear meanwhile.
    func sharedMatch(_ key: RawSpan, in table: TableState, _ wantsPayload: Bool) -> Match? {
        while true {
            let place = table.place
            let queued = records.seed.hash(instance: place.queued, key: key)
            if let pending = queue.pending(queued) { return match(pending, key, wantsPayload) }
            let hash = place.stored == place.queued ? queued : records.seed.hash(instance: place.stored, key: key)
            let found: RecordStore.Lookup??
            do throws(LMDBError) {
                found = try read { (transaction) throws(LMDBError) -> RecordStore.Lookup? in
                    // Cleared, or committed under another number, since the queue was asked.
                    guard table.place == place else { return nil }
                    guard place.stored > 0 else { return .absent }
                    return try records.find(hash, key: key, wantsPayload: wantsPayload, transaction)
                }
            } catch {
                counters.readFailures.count()
                return nil
            }
            guard let found else { return match(nil, hash, place.stored) }
            if let found { return match(found, hash, place.stored) }
        }
    }

    /// Has the writer take over a larger map of another process, when a read needs it, and reads again.
    private func readOnce<R>(_ body: (borrowing ReadTransaction) throws(LMDBError) -> R) throws(LMDBError) -> R? {
        do throws(LMDBError) {
            return try readers.read(body)
        } catch {
            guard error.code == .mapResized, !isWriterThread else { throw error }
            queue.enqueue(WriteOperation(.adoptMap))
            queue.waitUntilSettled(deadline: .after(.seconds(2)))
            return try readers.read(body)
        }
    }

    /// Takes into account what others have committed so far; returns whether that could be looked up.
    @discardableResult
    func noticeChanges() -> Bool {
        guard sharing != nil else { return true }
        guard isUsable, !isClosing.load(ordering: .acquiring) else { return false }
        let isNoticed: Bool? = try? read { (_) throws(LMDBError) in true }
        return isNoticed ?? false
    }
}

extension Store {
    /// How many times commits of other processes were noticed, those up to now included.
    ///
    /// Looks at the newest commit, which takes some forty nanoseconds. `nil` if it could not: what is in memory must not be
    /// taken for the newest then.
    package func externalChanges() -> UInt64? {
        core.noticeChanges() ? core.sharing?.changes ?? 0 : nil
    }

    /// Makes sure that a table of a shared store is the same one in every process.
    ///
    /// Blocks for a commit if nobody has registered the table before: only then is it known who came first.
    func confirm(_ state: TableState, keyKind: String) throws(StoreError) {
        guard let sharing = core.sharing else { return }
        var known = sharing.adopt(state)
        if known == nil {
            try core.checkThread("opening a new table of a shared store")
            core.queue.waitUntilSettled()
            known = sharing.adopt(state)
        }
        guard let known else {
            forget(state)
            guard isOpen else { throw .closed(path) }
            throw StoreError(
                .storageFailed,
                "The table \"\(state.name)\" could not be registered in the store at \(path): the next flush says why"
            )
        }
        guard known.keyKind != state.keyKind else { return }
        // Another process was first, with keys of another kind.
        forget(state)
        throw .wrongKeys(of: state.name, known.keyKind, keyKind)
    }
}
