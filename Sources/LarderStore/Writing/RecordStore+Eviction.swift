internal import LMDB

/// Giving up records, the oldest first.
extension RecordStore {
    /// What a slice of work did, to be counted once its transaction has committed.
    struct Tally {
        var puts: UInt64 = 0
        var putBytes = 0
        var removals: UInt64 = 0
        var expired: UInt64 = 0
        var evicted: UInt64 = 0
        var damaged: UInt64 = 0

        /// Whether anything was done.
        var work: UInt64 { puts + removals + expired + evicted + damaged }
    }

    /// The record at the head of the data: the oldest one.
    private struct Head {
        let sequence: UInt64
        /// `nil` if the bytes are no readable record.
        let header: RecordHeader?
        let hash: RecordHash
    }

    /// Evicts until at most `pages` are in use or `limit` records were looked at; returns whether that was reached.
    ///
    /// A record read since it was written is written again as the newest, once a read; the bytes so moved are bounded, so
    /// that a store whose every record was read still makes room.
    func evict(
        downTo pages: Int,
        limit: Int,
        now: WallTime,
        sketch: AccessSketch,
        _ transaction: inout WriteTransaction,
        _ ledger: inout Ledger,
        _ tally: inout Tally
    ) throws(LMDBError) -> Bool {
        var movableBytes = 1 << 20
        for _ in 0..<limit {
            guard try usedPages(transaction) > pages else { return true }
            guard let head = try head(transaction) else { return true }
            guard let header = head.header else {
                try transaction.remove(head.sequence, from: data)
                tally.damaged += 1
                continue
            }
            let isDead = ledger.dead.contains(header.instance)
            let isExpired = header.expires <= now
            if !isDead, !isExpired, header.recordBytes <= movableBytes, sketch.take(head.hash) {
                movableBytes -= header.recordBytes
                if try rewrite(head.hash, at: head.sequence, &transaction, &ledger, { _ in }) { continue }
            }
            if try !remove(head.hash, onlyAt: head.sequence, &transaction, &ledger) {
                // Nothing points here: the record's index entry was damaged, or it is a piece without a head.
                try transaction.remove(head.sequence, from: data)
            }
            if isExpired { tally.expired += 1 } else if !isDead { tally.evicted += 1 }
        }
        return try usedPages(transaction) <= pages
    }

    private func head(_ transaction: borrowing WriteTransaction) throws(LMDBError) -> Head? {
        try heads(from: 0, below: .max, limit: 1, transaction).heads.first
    }

    /// The records from `sequence` on, and where to go on; `nil` at the end.
    private func heads(
        from sequence: UInt64,
        below end: UInt64,
        limit: Int,
        _ transaction: borrowing WriteTransaction
    ) throws(LMDBError) -> (heads: [Head], next: UInt64?) {
        try transaction.withCursor(in: data) { (cursor) throws(LMDBError) -> (heads: [Head], next: UInt64?) in
            var heads: [Head] = []
            var position = sequence
            while try cursor.move(toOrAfter: position) {
                guard heads.count < limit else { return (heads, position) }
                let (number, header, start) = cursor.withEntry { key, bytes -> (UInt64, RecordHeader?, [UInt8]) in
                    // The keys are integers in the machine's own order, which is little-endian here.
                    let number = key.load(UInt64.self, at: 0)
                    let header = RecordHeader(bytes, sequence: number, seed: seed)
                    let end = min(RecordHeader.byteCount + Int(header?.keyLength ?? 0), bytes.byteCount)
                    return (number, header, header == nil ? [] : bytes.extracting(RecordHeader.byteCount..<end).array)
                }
                guard number < end else { return (heads, nil) }
                var hash: RecordHash?
                if let header { hash = try self.hash(of: header, keyStart: start, transaction) }
                heads.append(Head(sequence: number, header: hash == nil ? nil : header, hash: hash ?? .zero))
                position = number + UInt64(header.map { RecordPieces.count($0.recordBytes) } ?? 1)
            }
            return (heads, nil)
        }
    }

    /// The hash a record is found by; a key longer than the first piece goes on in the next ones.
    private func hash(
        of header: RecordHeader,
        keyStart: [UInt8],
        _ transaction: borrowing WriteTransaction
    ) throws(LMDBError) -> RecordHash? {
        var key = keyStart
        var piece: UInt64 = 1
        while key.count < Int(header.keyLength) {
            let missing = Int(header.keyLength) - key.count
            let more = try transaction.withValue(forKey: header.sequence + piece, in: data) { bytes in
                bytes.extracting(first: missing).array
            }
            guard let more, !more.isEmpty, piece < RecordPieces.count(header.recordBytes) else { return nil }
            key += more
            piece += 1
        }
        return seed.hash(instance: header.instance, key: key)
    }

    /// Looks at up to `limit` records from `sequence` on and removes those of dead instances.
    ///
    /// Returns where to go on, or `nil` at the end.
    func sweepDead(
        from sequence: UInt64,
        limit: Int,
        _ transaction: inout WriteTransaction,
        _ ledger: inout Ledger
    ) throws(LMDBError) -> UInt64? {
        let (heads, next) = try heads(from: sequence, below: .max, limit: limit, transaction)
        for head in heads {
            guard let header = head.header, ledger.dead.contains(header.instance) else { continue }
            try remove(head.hash, onlyAt: head.sequence, &transaction, &ledger)
        }
        return next
    }

    /// Tells an extension of up to `limit` records from `sequence` on; returns where to go on, or `nil` at the end.
    func fill(
        _ attached: Attached,
        from sequence: UInt64,
        below end: UInt64,
        limit: Int,
        _ transaction: inout WriteTransaction
    ) throws(LMDBError) -> UInt64? {
        let (heads, next) = try heads(from: sequence, below: end, limit: limit, transaction)
        for head in heads where head.header != nil {
            guard case .found(let header, let content) = try read(head.hash, transaction),
                header.sequence == head.sequence
            else { continue }
            let reference = RecordReference(IndexEntry(header), hash: head.hash)
            let plain = attached.body.readsContent ? self.plain(content, header) : []
            try attached.body.didPut(reference, content: plain, in: attached.keyspace, &transaction)
        }
        return next
    }
}
