internal import Glibc
internal import LMDB

/// The databases and the changes made to them: each inside a write transaction, each telling the extensions.
///
/// Small records wait in the transaction's `RecordChanges` until `settle` lays them into packs. What was staged is read
/// and replaced like any other record: the changes here settle first where that matters.
struct RecordStore: Sendable {
    struct Attached: Sendable {
        let body: any StoreExtension
        let keyspace: Keyspace
    }

    static let databaseCount = 5
    static let ledgerKey = Array("ledger".utf8)

    let databases: StoreDatabases
    let seed: HashSeed
    /// The first is always the expiry order.
    let extensions: [Attached]
    let compressor = Compressor()

    var data: Database { databases.data }
    var index: Database { databases.index }
    var meta: Database { databases.meta }
    var extensionData: Database { databases.extensionData }
    var packs: Database { databases.packs }

    /// Writes a record over whatever is stored under its hash.
    func put(
        _ header: RecordHeader,
        content: [UInt8],
        hash: RecordHash,
        _ transaction: inout WriteTransaction,
        _ changes: inout RecordChanges
    ) throws(LMDBError) {
        if changes.isStaged(hash) { try settle(&transaction, &changes) }
        let record = RecordChanges.Staged(hash: hash, header: header, content: content)
        guard header.recordBytes <= PackLayout.limit else {
            let number = try takePacks(RecordPieces.count(header.recordBytes), &changes.ledger)
            return try point(to: try append(record, as: number, &transaction), record, &transaction, &changes)
        }
        changes.stage(record)
    }

    /// Takes the next numbers of packs.
    func takePacks(_ count: Int, _ ledger: inout Ledger) throws(LMDBError) -> UInt64 {
        let number = RecordPlace(ledger.nextSequence).pack
        guard number + UInt64(count) < RecordPlace.packLimit else { throw .outOfPackNumbers }
        ledger.nextSequence = RecordPlace(pack: number + UInt64(count)).sequence
        return number
    }

    /// Has the index point to a record that was written, instead of to any older one, and tells the extensions.
    func point(
        to header: RecordHeader,
        _ record: RecordChanges.Staged,
        _ transaction: inout WriteTransaction,
        _ changes: inout RecordChanges
    ) throws(LMDBError) {
        let (hash, entry) = (record.hash, IndexEntry(header))
        let encoded = entry.encoded(hash: hash, seed: seed)
        let replaced = try transaction.insert(encoded, forKey: hash, in: index) { bytes in
            IndexEntry(bytes, hash: hash, seed: seed)
        }
        // Before the old one is subtracted: the last record of a cleared table ends what is known of it.
        changes.ledger.add(entry)
        if let replaced {
            // A damaged entry points nowhere that can be trusted; what it pointed to goes when it is the oldest.
            if let old = replaced { try forget(old, hash, &transaction, &changes) }
            try transaction.put(encoded, forKey: hash, in: index)
        }
        try tell(of: entry, header, content: record.content, hash: hash, &transaction)
    }

    /// Tells the extensions of a record.
    func tell(
        of entry: IndexEntry,
        _ header: RecordHeader,
        content: @autoclosure () -> [UInt8],
        hash: RecordHash,
        _ transaction: inout WriteTransaction
    ) throws(LMDBError) {
        let reference = RecordReference(entry, hash: hash)
        var plain: [UInt8]?
        for attached in extensions {
            if attached.body.readsContent { plain = plain ?? self.plain(content(), header) }
            try attached.body.didPut(
                reference,
                content: attached.body.readsContent ? plain ?? [] : [],
                in: attached.keyspace,
                &transaction
            )
        }
    }

    /// Key and payload as they were before compression; the key alone if the payload cannot be decompressed.
    func plain(_ content: [UInt8], _ header: RecordHeader) -> [UInt8] {
        guard header.isCompressed else { return content }
        let key = content[..<Int(header.keyLength)]
        return key + (compressor.decompressed(Array(content[Int(header.keyLength)...])) ?? [])
    }

    /// Writes a record that has no others beside it, in pieces if it is large.
    private func append(
        _ record: RecordChanges.Staged,
        as number: UInt64,
        _ transaction: inout WriteTransaction
    ) throws(LMDBError) -> RecordHeader {
        let pieces = RecordPieces.count(record.header.recordBytes)
        guard pieces > 1 else { return try append([record][...], as: number, &transaction)[0] }
        var header = record.header
        header.sequence = RecordPlace(pack: number).sequence
        let first = RecordPieces.pieceBytes - RecordHeader.byteCount
        let content = record.content
        try transaction.append(header.encodedBytes(seed: seed), content[..<first], forKey: number, in: data)
        var offset = first
        for piece in 1..<pieces {
            let end = min(offset + RecordPieces.pieceBytes, content.count)
            try transaction.append([], content[offset..<end], forKey: number + UInt64(piece), in: data)
            offset = end
        }
        return header
    }

    /// Removes the record under `hash`, if it is there and, when given, lies under `sequence`.
    @discardableResult
    func remove(
        _ hash: RecordHash,
        onlyAt sequence: UInt64? = nil,
        _ transaction: inout WriteTransaction,
        _ changes: inout RecordChanges
    ) throws(LMDBError) -> Bool {
        if changes.isStaged(hash) { try settle(&transaction, &changes) }
        let found = try transaction.withValue(forKey: hash, in: index) { bytes in
            IndexEntry(bytes, hash: hash, seed: seed)
        }
        guard let found else { return false }
        guard let entry = found else {
            // A damaged entry points nowhere that can be trusted; what it pointed to goes when it is the oldest.
            try transaction.remove(hash, from: index)
            return true
        }
        if let sequence, sequence != entry.sequence { return false }
        try transaction.remove(hash, from: index)
        try forget(entry, hash, &transaction, &changes)
        return true
    }

    /// Removes a record that was found damaged, unless it was replaced since.
    func discard(
        _ hash: RecordHash,
        at sequence: UInt64,
        _ transaction: inout WriteTransaction,
        _ changes: inout RecordChanges
    ) throws(LMDBError) {
        guard sequence == 0 else {
            try remove(hash, onlyAt: sequence, &transaction, &changes)
            return
        }
        // Sequence 0 stands for an index entry that cannot be read; it is damaged still, or was replaced.
        if changes.isStaged(hash) { try settle(&transaction, &changes) }
        guard case .damaged(0) = try read(hash, transaction) else { return }
        try remove(hash, &transaction, &changes)
    }

    /// Removes everything about a record but its index entry and its bytes, if others lie beside them.
    private func forget(
        _ entry: IndexEntry,
        _ hash: RecordHash,
        _ transaction: inout WriteTransaction,
        _ changes: inout RecordChanges
    ) throws(LMDBError) {
        if entry.pieces > 1 {
            for piece in 0..<entry.pieces { try transaction.remove(entry.place.pack + UInt64(piece), from: data) }
        } else {
            changes.noteDead(entry)
        }
        changes.ledger.subtract(entry)
        let reference = RecordReference(entry, hash: hash)
        for attached in extensions { try attached.body.didRemove(reference, from: attached.keyspace, &transaction) }
    }

    /// Writes a record again as the newest one, changed by `change`; one that cannot be read is removed.
    @discardableResult
    func rewrite(
        _ hash: RecordHash,
        at sequence: UInt64,
        _ transaction: inout WriteTransaction,
        _ changes: inout RecordChanges,
        _ change: (inout RecordHeader) -> Void
    ) throws(LMDBError) -> Bool {
        if changes.isStaged(hash) { try settle(&transaction, &changes) }
        guard case .found(var header, let content) = try read(hash, transaction), header.sequence == sequence else {
            try remove(hash, onlyAt: sequence, &transaction, &changes)
            return false
        }
        change(&header)
        try put(header, content: content, hash: hash, &transaction, &changes)
        return true
    }

    func save(_ ledger: Ledger, _ transaction: inout WriteTransaction) throws(LMDBError) {
        try transaction.put(ledger.encoded, forKey: Self.ledgerKey, in: meta)
    }

    /// The pages in use, LMDB's two meta pages included.
    func usedPages(_ transaction: borrowing some Transaction & ~Copyable) throws(LMDBError) -> Int {
        var pages = 2
        for database in databases.all {
            pages += try transaction.statistics(of: database).pages
        }
        return pages
    }
}

extension LMDBError {
    /// There are no numbers for more packs: no store lives long enough to see it.
    fileprivate static var outOfPackNumbers: LMDBError { LMDBError(call: "numbering a pack", result: EOVERFLOW) }
}
