internal import LMDB

/// The records that expire, in the order they do.
///
/// Keys are expiry and sequence, both big-endian; the value is the record's hash.
struct ExpiryOrder: StoreExtension {
    let name = "expiry"
    let kind = "expiry"
    let version: UInt32 = 1
    let readsContent = false

    func didPut(
        _ record: RecordReference,
        content: [UInt8],
        in keyspace: Keyspace,
        _ transaction: inout WriteTransaction
    ) throws(LMDBError) {
        guard record.expires != .never else { return }
        var value = [UInt8](repeating: 0, count: 16)
        value.store(record.hash.low, at: 0)
        value.store(record.hash.high, at: 8)
        try transaction.put(value, forKey: key(record, in: keyspace), in: keyspace.database)
    }

    func didRemove(
        _ record: RecordReference,
        from keyspace: Keyspace,
        _ transaction: inout WriteTransaction
    ) throws(LMDBError) {
        guard record.expires != .never else { return }
        try transaction.remove(key(record, in: keyspace), from: keyspace.database)
    }

    private func key(_ record: RecordReference, in keyspace: Keyspace) -> [UInt8] {
        var suffix: [UInt8] = []
        // The flipped sign makes the order of bytes the order of time.
        suffix.appendBigEndian(UInt64(bitPattern: record.expires.nanoseconds) ^ (1 << 63))
        suffix.appendBigEndian(record.sequence)
        return keyspace.key(suffix)
    }

    /// Whether a record has expired by `now`.
    func hasExpired(
        by now: WallTime,
        in keyspace: Keyspace,
        _ transaction: borrowing some Transaction & ~Copyable
    ) throws(LMDBError) -> Bool {
        let start = keyspace.key([])
        return try transaction.withCursor(in: keyspace.database) { (cursor) throws(LMDBError) in
            guard try cursor.move(toOrAfter: start) else { return false }
            let found = cursor.withEntry { key, value in Self.entry(key, value, in: keyspace) }
            return found.map { $0.expires <= now } ?? false
        }
    }

    /// Takes up to `limit` records that have expired by `now` out of the order, the earliest first.
    func takeExpired(
        by now: WallTime,
        limit: Int,
        from keyspace: Keyspace,
        _ transaction: inout WriteTransaction
    ) throws(LMDBError) -> [(hash: RecordHash, sequence: UInt64)] {
        let start = keyspace.key([])
        return try transaction.withCursor(in: keyspace.database) { (cursor) throws(LMDBError) in
            var expired: [(hash: RecordHash, sequence: UInt64)] = []
            while expired.count < limit, try cursor.move(toOrAfter: start) {
                let found = cursor.withEntry { key, value in Self.entry(key, value, in: keyspace) }
                guard let found, found.expires <= now else { break }
                try cursor.remove()
                expired.append((found.hash, found.sequence))
            }
            return expired
        }
    }

    private static func entry(
        _ key: RawSpan,
        _ value: RawSpan,
        in keyspace: Keyspace
    ) -> (expires: WallTime, sequence: UInt64, hash: RecordHash)? {
        guard keyspace.contains(key), key.byteCount == 18, value.byteCount == 16 else { return nil }
        let time = key.load(UInt64.self, at: 2).byteSwapped ^ (1 << 63)
        return (
            WallTime(nanoseconds: Int64(bitPattern: time)),
            key.load(UInt64.self, at: 10).byteSwapped,
            RecordHash(low: value.load(UInt64.self, at: 0), high: value.load(UInt64.self, at: 8))
        )
    }
}
