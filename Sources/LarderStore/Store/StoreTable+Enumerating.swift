internal import LMDB
internal import Synchronization
internal import Threading

extension StoreTable {
    /// Every key that has a live record, in no particular order.
    ///
    /// Reads every record of the table, and of other tables their index. Does not count as access.
    public func keys() -> [Key] {
        var keys: [Key] = []
        core.forEach(in: state) { key, _ in
            if let key = Key(storeKeyBytes: key) { keys.append(key) }
            return true
        }
        return keys
    }

    /// Calls `body` with each key and its record, in no particular order.
    ///
    /// Reads in steps of a thousand records: what is written meanwhile may or may not be seen, but no key is met twice.
    /// `body` runs outside every transaction and may use the store. Does not count as access; what cannot be decoded is
    /// left out, counted and removed. Errors of `body` end the walk.
    public func forEach<E: Error>(_ body: (Key, StoredRecord<Value>) throws(E) -> Void) throws(E) {
        var failure: E?
        core.forEach(in: state) { bytes, match in
            guard let key = Key(storeKeyBytes: bytes), let record = decode(match) else { return true }
            do throws(E) {
                try body(key, record)
                return true
            } catch {
                failure = error
                return false
            }
        }
        if let failure { throw failure }
    }
}

extension StoreCore {
    private static var pageLimit: Int { 1000 }

    /// Calls `body` with the key and record of each live record of a table, until it returns `false`.
    func forEach(in table: TableState, _ body: ([UInt8], Match) -> Bool) {
        guard isUsable, !isClosing.load(ordering: .acquiring) else { return }
        let instance = table.instance.load(ordering: .acquiring)
        var queued: Set<RecordHash> = []
        for operation in queue.pendingPuts(of: instance) {
            queued.insert(operation.hash)
            // Safety: bytes have no padding; so below.
            guard let match = unsafe find(operation.key.span.bytes, in: table) else { continue }
            guard body(operation.key, match) else { return }
        }
        var last: RecordHash?
        repeat {
            let previous = last
            let step = read { (transaction) throws(LMDBError) -> RecordStore.Page in
                try records.page(
                    after: previous,
                    limit: Self.pageLimit,
                    instance: instance,
                    now: clock.now,
                    transaction
                )
            }
            guard let step else { return }
            for hash in step.hashes where !queued.contains(hash) {
                guard let key = key(of: hash), let match = unsafe find(key.span.bytes, in: table) else { continue }
                guard body(key, match) else { return }
            }
            last = step.last
        } while last != nil
    }

    /// Runs `body` in the newest snapshot; `nil`, and counted, if that fails.
    private func read<R>(_ body: (borrowing ReadTransaction) throws(LMDBError) -> R) -> R? {
        do throws(LMDBError) {
            if let result = try readers.read(body) { return result }
            noteReadFailure(nil)
        } catch {
            noteReadFailure(error)
        }
        return nil
    }

    /// The key of a stored record; `nil` if it is gone, damaged, or hidden by a queued removal.
    private func key(of hash: RecordHash) -> [UInt8]? {
        let found = read { (transaction) throws(LMDBError) -> RecordStore.Found in
            try records.read(hash, transaction)
        }
        switch found {
        case .found(let header, let content)?:
            return Array(content[..<Int(header.keyLength)])
        case .damaged(let sequence)?:
            meetDamaged(hash, at: sequence)
            return nil
        default:
            return nil
        }
    }
}

extension WriteQueue {
    /// The queued writes of one instance of a table that reads see.
    func pendingPuts(of instance: UInt32) -> [WriteOperation] {
        guard visible.load(ordering: .acquiring) > 0 else { return [] }
        return state.withLock { state in
            state.newest.values.filter { operation in
                guard operation.instance == instance, case .put = operation.action else { return false }
                return true
            }
        }
    }
}
