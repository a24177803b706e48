internal import LMDB

/// Laying records into packs, and keeping account of what has died in them.
///
/// A record that is replaced or removed leaves its bytes behind in its pack. How many is kept on the disk, in the same
/// transaction: a pack without living records is removed, and one of which less than half lives is written again without
/// the dead, under its own number, so that the order of eviction stays that of writing. On the whole a byte is moved at
/// most once for each one that dies, and dead ones never take more than half.
extension RecordStore {
    /// How much of living records one transaction moves together; what is left over is maintenance's.
    static let cleaningLimit = 2 << 20

    /// Brings the databases up to date with what the transaction has done.
    func settle(_ transaction: inout WriteTransaction, _ changes: inout RecordChanges) throws(LMDBError) {
        try writePacks(&transaction, &changes)
        for (pack, bytes) in changes.takeDead() { try bury(bytes, in: pack, &transaction, &changes) }
    }

    private func writePacks(
        _ transaction: inout WriteTransaction,
        _ changes: inout RecordChanges
    ) throws(LMDBError) {
        let records = changes.takeStaged()
        guard !records.isEmpty else { return }
        var headers: [RecordHeader] = []
        headers.reserveCapacity(records.count)
        for count in PackLayout.cut(records.map(\.header.recordBytes)) {
            let number = try takePacks(1, &changes.ledger)
            headers += try append(records[headers.count..<(headers.count + count)], as: number, &transaction)
        }
        for (record, header) in zip(records, headers) { try point(to: header, record, &transaction, &changes) }
    }

    /// Writes records one behind the other under the next number, and returns their headers with their places.
    func append(
        _ records: ArraySlice<RecordChanges.Staged>,
        as number: UInt64,
        _ transaction: inout WriteTransaction
    ) throws(LMDBError) -> [RecordHeader] {
        var headers: [RecordHeader] = []
        headers.reserveCapacity(records.count)
        let byteCount = records.reduce(0) { $0 + $1.header.recordBytes }
        // Safety: the room is as large as the records together, and each is copied while it lives.
        try unsafe transaction.append(byteCount: byteCount, forKey: number, in: data) { room in
            var offset = 0
            for record in records {
                var header = record.header
                header.sequence = RecordPlace(pack: number, offset: offset).sequence
                let content = offset + RecordHeader.byteCount
                let head = unsafe UnsafeMutableRawBufferPointer(rebasing: room[offset..<content])
                unsafe withUnsafeBytes(of: header.encoded(seed: seed)) { unsafe head.copyMemory(from: $0) }
                offset += header.recordBytes
                let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: room[content..<offset])
                unsafe record.content.withUnsafeBytes { unsafe rest.copyMemory(from: $0) }
                headers.append(header)
            }
        }
        return headers
    }

    // MARK: The dead

    /// Takes account of bytes that died in a pack.
    private func bury(
        _ bytes: Int,
        in pack: UInt64,
        _ transaction: inout WriteTransaction,
        _ changes: inout RecordChanges
    ) throws(LMDBError) {
        let size = try transaction.withValue(forKey: pack, in: data) { $0.byteCount }
        guard let size else {
            // The pack went before its records did: it was damaged, or the oldest.
            try transaction.remove(pack, from: packs)
            return
        }
        var dead = try waste(of: pack, transaction).map { $0 + bytes }
        // The account is lost or wrong: living records must not pay for it.
        if dead ?? .max > size { dead = try countedWaste(of: pack, transaction) }
        guard let dead, dead < size else { return try removePack(pack, &transaction) }
        let isThin = 2 * dead > size
        if isThin, changes.cleanedBytes < Self.cleaningLimit {
            if try clean(pack, &transaction, &changes) { return }
        } else if isThin {
            changes.leavesThinPacks = true
        }
        try transaction.put(PackWaste(bytes: dead).encoded(pack: pack, seed: seed), forKey: pack, in: packs)
    }

    /// Removes a pack and the account of it.
    func removePack(_ pack: UInt64, _ transaction: inout WriteTransaction) throws(LMDBError) {
        try transaction.remove(pack, from: data)
        try transaction.remove(pack, from: packs)
    }

    /// The dead bytes of a pack, as they are kept; `nil` if the account is damaged.
    private func waste(
        of pack: UInt64,
        _ transaction: borrowing some Transaction & ~Copyable
    ) throws(LMDBError) -> Int? {
        let kept = try transaction.withValue(forKey: pack, in: packs) { bytes in
            PackWaste(bytes, pack: pack, seed: seed)
        }
        return if let kept { kept?.bytes } else { 0 }
    }

    /// The dead bytes of a pack, found by asking the index for each record; those that cannot be read count as living.
    private func countedWaste(of pack: UInt64, _ transaction: borrowing WriteTransaction) throws(LMDBError) -> Int {
        var bytes = 0
        for head in try heads(of: pack, transaction).heads where try !isLiving(head, transaction) {
            bytes += head.header.recordBytes
        }
        return bytes
    }

    /// Whether the index points to a record where it was found: otherwise it was replaced or removed.
    func isLiving(
        _ head: Head,
        _ transaction: borrowing some Transaction & ~Copyable
    ) throws(LMDBError) -> Bool {
        let entry = try transaction.withValue(forKey: head.hash, in: index) { bytes in
            IndexEntry(bytes, hash: head.hash, seed: seed)
        }
        return entry??.sequence == head.header.sequence
    }

    // MARK: Cleaning

    /// Writes a pack again without its dead; returns `false` if parts of it cannot be read.
    ///
    /// Such a pack is left as it is until none of it lives or it is the oldest: what the index says of it stays true.
    @discardableResult
    func clean(
        _ pack: UInt64,
        _ transaction: inout WriteTransaction,
        _ changes: inout RecordChanges
    ) throws(LMDBError) -> Bool {
        let (heads, gaps) = try heads(of: pack, transaction)
        guard gaps == 0 else { return false }
        var living: [Head] = []
        for head in heads where try isLiving(head, transaction) { living.append(head) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(living.reduce(0) { $0 + $1.header.recordBytes })
        var moved: [RecordHeader] = []
        try transaction.withValue(forKey: pack, in: data) { old in
            for head in living {
                var header = head.header
                let start = RecordPlace(header.sequence).offset
                header.sequence = RecordPlace(pack: pack, offset: bytes.count).sequence
                moved.append(header)
                bytes += header.encodedBytes(seed: seed)
                old.extracting((start + RecordHeader.byteCount)..<(start + header.recordBytes)).append(to: &bytes)
            }
        }
        // Removed first: written over its own pages it would keep all of them.
        try removePack(pack, &transaction)
        guard !living.isEmpty else { return true }
        try transaction.put(bytes, forKey: pack.bytes, in: data)
        for (head, header) in zip(living, moved) {
            let entry = IndexEntry(header)
            try transaction.put(entry.encoded(hash: head.hash, seed: seed), forKey: head.hash, in: index)
            let old = RecordReference(IndexEntry(head.header), hash: head.hash)
            for attached in extensions { try attached.body.didRemove(old, from: attached.keyspace, &transaction) }
            let end = RecordPlace(header.sequence).offset + header.recordBytes
            let content = Array(bytes[(end - header.contentBytes)..<end])
            try tell(of: entry, header, content: content, hash: head.hash, &transaction)
        }
        changes.cleanedBytes += bytes.count
        changes.tally.putBytes += bytes.count
        return true
    }

    /// The packs from a number on of which less than half lives, up to a limit of either, and where to go on.
    func thinPacks(
        from pack: UInt64,
        limit: Int,
        _ transaction: borrowing some Transaction & ~Copyable
    ) throws(LMDBError) -> (packs: [UInt64], next: UInt64?) {
        try transaction.withCursor(in: packs) { (cursor) throws(LMDBError) -> (packs: [UInt64], next: UInt64?) in
            var found: [UInt64] = []
            var isThere = try cursor.move(toOrAfter: pack)
            for _ in 0..<limit {
                guard isThere else { return (found, nil) }
                let (number, waste) = cursor.withEntry { key, value -> (UInt64, PackWaste?) in
                    let number = key.load(UInt64.self, at: 0)
                    return (number, PackWaste(value, pack: number, seed: seed))
                }
                let size = try transaction.withValue(forKey: number, in: data) { $0.byteCount } ?? 0
                if let waste, 2 * waste.bytes > size { found.append(number) }
                isThere = try cursor.move(.next)
            }
            guard isThere else { return (found, nil) }
            return (found, cursor.withEntry { key, _ in key.load(UInt64.self, at: 0) })
        }
    }
}

extension UInt64 {
    /// The bytes in memory, which are a key of the data.
    var bytes: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 8)
        bytes.store(self, at: 0)
        return bytes
    }
}
