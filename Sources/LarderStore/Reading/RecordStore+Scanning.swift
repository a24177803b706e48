internal import LMDB

/// Walking the index in bounded steps, each in a snapshot of its own.
extension RecordStore {
    /// The records of one step, and where the next begins.
    struct Page {
        var hashes: [RecordHash] = []
        /// The last entry looked at; `nil` at the end.
        var last: RecordHash?
    }

    /// The live entries of an instance among the next `limit` ones after `previous`.
    ///
    /// In the order of hashes: that of a key does not change when it is written again, so none is met twice or missed.
    func page(
        after previous: RecordHash?,
        limit: Int,
        instance: UInt32,
        now: WallTime,
        _ transaction: borrowing ReadTransaction
    ) throws(LMDBError) -> Page {
        try transaction.withCursor(in: index) { (cursor) throws(LMDBError) -> Page in
            var page = Page()
            var isThere: Bool
            if let previous {
                isThere = try cursor.move(toOrAfter: previous)
                if isThere, cursor.withEntry({ key, _ in RecordHash(key) }) == previous {
                    isThere = try cursor.move(.next)
                }
            } else {
                isThere = try cursor.move(.first)
            }
            for _ in 0..<limit {
                guard isThere else { return page }
                let (hash, entry) = cursor.withEntry { key, value -> (RecordHash?, IndexEntry?) in
                    let hash = RecordHash(key)
                    return (hash, hash.flatMap { IndexEntry(value, hash: $0, seed: seed) })
                }
                guard let hash else { return page }
                if let entry, entry.instance == instance, entry.expires > now { page.hashes.append(hash) }
                page.last = hash
                isThere = try cursor.move(.next)
            }
            if !isThere { page.last = nil }
            return page
        }
    }
}

extension RecordHash {
    init?(_ key: RawSpan) {
        guard key.byteCount == 16 else { return nil }
        low = key.load(UInt64.self, at: 0)
        high = key.load(UInt64.self, at: 8)
    }
}
