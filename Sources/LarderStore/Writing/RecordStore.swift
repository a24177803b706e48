internal import LMDB

/// The databases and the changes made to them: each inside a write transaction, each telling the extensions.
struct RecordStore: Sendable {
    struct Attached: Sendable {
        let body: any StoreExtension
        let keyspace: Keyspace
    }

    static let databaseCount = 4
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

    /// Writes a record over whatever is stored under its hash.
    func put(
        _ header: RecordHeader,
        content: [UInt8],
        hash: RecordHash,
        _ transaction: inout WriteTransaction,
        _ ledger: inout Ledger
    ) throws(LMDBError) {
        var header = header
        header.sequence = ledger.nextSequence
        let entry = IndexEntry(header)
        let encoded = entry.encoded(hash: hash, seed: seed)
        let replaced = try transaction.insert(encoded, forKey: hash, in: index) { bytes in
            IndexEntry(bytes, hash: hash, seed: seed)
        }
        if let replaced {
            // A damaged entry points nowhere that can be trusted; what it pointed to goes when it is the oldest.
            if let old = replaced { try forget(old, hash, &transaction, &ledger) }
            try transaction.put(encoded, forKey: hash, in: index)
        }
        try append(header, content, entry, &transaction)
        ledger.nextSequence += UInt64(entry.pieces)
        ledger.add(entry)
        let reference = RecordReference(entry, hash: hash)
        var plain: [UInt8]?
        for attached in extensions {
            if attached.body.readsContent { plain = plain ?? self.plain(content, header) }
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

    private func append(
        _ header: RecordHeader,
        _ content: [UInt8],
        _ entry: IndexEntry,
        _ transaction: inout WriteTransaction
    ) throws(LMDBError) {
        let head = header.encoded(seed: seed)
        guard entry.pieces > 1 else {
            // Safety: the room is as large as head and content together, and both are copied while they live.
            return try unsafe transaction.append(byteCount: header.recordBytes, forKey: entry.sequence, in: data) {
                room in
                unsafe withUnsafeBytes(of: head) { unsafe room.copyMemory(from: $0) }
                let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: room[RecordHeader.byteCount...])
                unsafe content.withUnsafeBytes { unsafe rest.copyMemory(from: $0) }
            }
        }
        let first = RecordPieces.pieceBytes - RecordHeader.byteCount
        try transaction.append(header.encodedBytes(seed: seed), content[..<first], forKey: entry.sequence, in: data)
        var offset = first
        for piece in 1..<entry.pieces {
            let end = min(offset + RecordPieces.pieceBytes, content.count)
            try transaction.append([], content[offset..<end], forKey: entry.sequence + UInt64(piece), in: data)
            offset = end
        }
    }

    /// Removes the record under `hash`, if it is there and, when given, lies under `sequence`.
    @discardableResult
    func remove(
        _ hash: RecordHash,
        onlyAt sequence: UInt64? = nil,
        _ transaction: inout WriteTransaction,
        _ ledger: inout Ledger
    ) throws(LMDBError) -> Bool {
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
        try forget(entry, hash, &transaction, &ledger)
        return true
    }

    /// Removes everything about a record but its index entry.
    private func forget(
        _ entry: IndexEntry,
        _ hash: RecordHash,
        _ transaction: inout WriteTransaction,
        _ ledger: inout Ledger
    ) throws(LMDBError) {
        for piece in 0..<entry.pieces { try transaction.remove(entry.sequence + UInt64(piece), from: data) }
        ledger.subtract(entry)
        let reference = RecordReference(entry, hash: hash)
        for attached in extensions { try attached.body.didRemove(reference, from: attached.keyspace, &transaction) }
    }

    /// Writes a record again as the newest one, changed by `change`; one that cannot be read is removed.
    @discardableResult
    func rewrite(
        _ hash: RecordHash,
        at sequence: UInt64,
        _ transaction: inout WriteTransaction,
        _ ledger: inout Ledger,
        _ change: (inout RecordHeader) -> Void
    ) throws(LMDBError) -> Bool {
        guard case .found(var header, let content) = try read(hash, transaction), header.sequence == sequence else {
            try remove(hash, onlyAt: sequence, &transaction, &ledger)
            return false
        }
        change(&header)
        try put(header, content: content, hash: hash, &transaction, &ledger)
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
