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
            guard error.code == .mapResized else { throw error }
            var refusal: LMDBError?
            let isAdopted = core.readers.move(to: environment, deadline: .after(.seconds(1))) {
                do throws(LMDBError) {
                    try environment.adoptMap()
                    return true
                } catch {
                    refusal = error
                    return false
                }
            }
            guard isAdopted else { throw refusal ?? error }
            return try turns.write { () throws(LMDBError) in try environment.write(body) }
        }
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
