internal import LMDB
internal import Threading

/// Writing to a store that other processes write to as well.
extension Writer {
    /// Runs `body` in a write transaction, and takes over the larger map of another process first if need be.
    func write<R>(
        _ body: (inout WriteTransaction) throws(LMDBError) -> R
    ) throws(LMDBError) -> R {
        do throws(LMDBError) {
            return try turns.write { () throws(LMDBError) in try environment.write(body) }
        } catch {
            guard error.code == .mapResized, try adoptMap(deadline: .after(.seconds(1))) else { throw error }
            return try turns.write { () throws(LMDBError) in try environment.write(body) }
        }
    }

    /// Takes over the larger map of another process; returns `false` if the reads at work do not end in time.
    private func adoptMap(deadline: Deadline) throws(LMDBError) -> Bool {
        var refusal: LMDBError?
        let isAdopted = core.readers.move(to: environment, deadline: deadline) {
            do throws(LMDBError) {
                try environment.adoptMap()
                return true
            } catch {
                refusal = error
                return false
            }
        }
        if let refusal { throw refusal }
        return isAdopted
    }

    /// Looks whether others have committed, for those who want to be told of it without asking.
    ///
    /// A look now and then rather than a wake-up by inotify: LMDB writes the meta page of a commit, which the system would
    /// tell of, before it publishes the commit in shared memory, of which it tells nobody, so that whoever is woken may look
    /// too early and would have to look again. Each page of this process's own commits would wake it as well; it would
    /// take a thread that waits for a descriptor; and a user has few instances of inotify. A look costs what a lookup does,
    /// takes no lock, and needs no transaction to write.
    mutating func noticeChanges() {
        nextLook = Self.lookDeadline(core)
        do throws(LMDBError) {
            _ = try core.read { (_) throws(LMDBError) in }
        } catch {
            // Not worth any wait: where there are reads at work, they notice for themselves.
            guard error.code == .mapResized, (try? adoptMap(deadline: .after(.zero))) == true else { return }
            core.noticeChanges()
        }
    }

    /// No setting: a look takes a few microseconds, wake-up included, and a tenth of a second later is soon enough for whoever
    /// is told of something that has happened; who needs to be current reads, and is.
    private static var lookInterval: Duration { .milliseconds(100) }

    static func lookDeadline(_ core: StoreCore) -> Deadline {
        core.sharing != nil && core.events.onExternalChange != nil ? .after(lookInterval) : .never
    }

    /// Frees the reader slots of processes that were killed, now and then: each would keep pages from being used again.
    mutating func checkReaders() {
        guard core.sharing != nil else { return }
        let now = core.clock.now
        // A wall clock that was set back must not put the check off.
        guard now >= nextReaderCheck || nextReaderCheck > now + Self.readerCheckInterval else { return }
        nextReaderCheck = now + Self.readerCheckInterval
        // Failing, it is tried again as often; nothing is lost but space.
        _ = try? turns.takeReader { () throws(LMDBError) in try environment.clearStaleReaders() }
    }

    /// When an idle writer has to look after the readers.
    var readerCheck: Deadline { core.sharing == nil ? .never : .after(Self.readerCheckInterval) }

    private static var readerCheckInterval: Duration { .seconds(60) }

    func requireAlone(to action: String) throws(StoreError) {
        guard core.sharing == nil else {
            throw StoreError(
                .inUse,
                "The store at \(core.path) is open for sharing: to \(action) it, close it in every process and open it without "
                    + "multiProcess, or run `larder compact`"
            )
        }
    }
}

extension WriteOperation {
    /// Where the record of a put or a removal lies by the ledger, which may have moved since the operation was queued;
    /// `nil` for a table that is not there.
    func place(in ledger: Ledger, _ records: RecordStore, _ core: StoreCore) -> (instance: UInt32, hash: RecordHash)? {
        guard core.sharing != nil else { return (instance, hash) }
        guard let table, let stored = ledger.tables[table.name]?.instance else { return nil }
        guard stored != instance else { return (instance, hash) }
        switch action {
        case .put(let header, let content):
            // Safety: bytes have no padding.
            let key = unsafe content.span.bytes.extracting(first: Int(header.keyLength))
            return (stored, records.seed.hash(instance: stored, key: key))
        default:
            return (stored, records.seed.hash(instance: stored, key: key))
        }
    }
}

extension Ledger {
    /// Registers a table of a shared store under the next number, unless another process has done so.
    mutating func register(_ table: TableState) {
        guard tables[table.name] == nil else { return }
        register(table.name, keyKind: table.keyKind, instance: nextInstance)
    }

    /// Gives a table of a shared store the next number.
    mutating func clear(_ table: TableState) {
        guard let present = tables[table.name] else { return }
        clear(table.name, keyKind: present.keyKind, dead: present.instance, next: nextInstance)
    }
}
