package import LMDB

/// Something kept in step with the records: told of each change inside the transaction that makes it.
///
/// An extension owns one keyspace and is registered in the store by name, kind and version. Opened again with the same
/// three it is reused; with another kind or version its keyspace is emptied and it is told of every record once; not
/// opened again, its keyspace is emptied after the first write.
package protocol StoreExtension: Sendable {
    /// What tells it apart from others of its kind.
    var name: String { get }

    /// What it is, for example `expiry`.
    var kind: String { get }

    /// The version of what it keeps.
    var version: UInt32 { get }

    /// Whether it looks at keys and payloads; if not, it is spared their decompression and given none.
    var readsContent: Bool { get }

    /// A record was written, with key and payload one after the other in `content`.
    ///
    /// Any older one under its key was removed before. Told again, it must do nothing more.
    func didPut(
        _ record: RecordReference,
        content: [UInt8],
        in keyspace: Keyspace,
        _ transaction: inout WriteTransaction
    ) throws(LMDBError)

    /// A record was removed; the extension may not have been told of it before.
    func didRemove(
        _ record: RecordReference,
        from keyspace: Keyspace,
        _ transaction: inout WriteTransaction
    ) throws(LMDBError)
}

extension StoreExtension {
    package var readsContent: Bool { true }
}

/// A record, as far as the index knows it.
package struct RecordReference: Sendable, Hashable {
    /// The number it lies under; larger ones were written later.
    ///
    /// Another one once the record was moved, of which an extension is told as of a removal and a write.
    package let sequence: UInt64

    /// When it ends.
    package let expires: WallTime

    /// The instance of its table.
    package let instance: UInt32

    let hash: RecordHash

    init(_ entry: IndexEntry, hash: RecordHash) {
        self.sequence = entry.sequence
        self.expires = entry.expires
        self.instance = entry.instance
        self.hash = hash
    }
}

/// The keys of one extension: all that begin with its number.
package struct Keyspace: Sendable, Hashable {
    let database: Database
    let id: UInt16

    /// A key of this keyspace, ordered by its bytes.
    func key(_ suffix: [UInt8]) -> [UInt8] {
        var key: [UInt8] = []
        key.reserveCapacity(2 + suffix.count)
        key.appendBigEndian(id)
        key.append(contentsOf: suffix)
        return key
    }

    /// Whether a key found in the database is one of these.
    func contains(_ key: RawSpan) -> Bool {
        key.byteCount >= 2 && UInt16(bigEndian: UInt16(littleEndian: key.load(UInt16.self, at: 0))) == id
    }

    /// Removes up to `limit` keys and returns whether any may be left.
    func clear(limit: Int, _ transaction: inout WriteTransaction) throws(LMDBError) -> Bool {
        let start = key([])
        return try transaction.withCursor(in: database) { (cursor) throws(LMDBError) -> Bool in
            var isThere = try cursor.move(toOrAfter: start)
            for _ in 0..<limit {
                guard isThere, cursor.withEntry({ key, _ in contains(key) }) else { return false }
                try cursor.remove()
                isThere = try cursor.move(toOrAfter: start)
            }
            return isThere
        }
    }
}
