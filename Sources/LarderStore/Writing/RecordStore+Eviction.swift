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

    /// Evicts until at most `pages` are in use or `limit` records were looked at; returns whether that was reached.
    ///
    /// By whole packs, for nothing less gives pages back. A record read since it was written is written again as the
    /// newest, once a read; the bytes so moved are bounded, so that a store whose every record was read still makes room.
    func evict(
        downTo pages: Int,
        limit: Int,
        now: WallTime,
        sketch: AccessSketch,
        _ transaction: inout WriteTransaction,
        _ changes: inout RecordChanges
    ) throws(LMDBError) -> Bool {
        var movableBytes = 1 << 20
        var count = 0
        // What waits takes pages, and what has died gives them back.
        try settle(&transaction, &changes)
        while try usedPages(transaction) > pages, count < limit {
            guard let oldest = try packs(from: 0, limit: 1, transaction).packs.first else {
                guard changes.isUnsettled else { return true }
                try settle(&transaction, &changes)
                continue
            }
            count += max(oldest.heads.count, 1)
            changes.tally.damaged += UInt64(oldest.gaps)
            // One that waits was read from a pack that is gone: the index is behind.
            for head in oldest.heads where !changes.isStaged(head.hash) {
                guard try isLiving(head, transaction) else { continue }
                let header = head.header
                let isDead = changes.ledger.dead.contains(header.instance)
                let isExpired = header.expires <= now
                if !isDead, !isExpired, header.recordBytes <= movableBytes, sketch.take(head.hash) {
                    movableBytes -= header.recordBytes
                    if try rewrite(head.hash, at: header.sequence, &transaction, &changes, { _ in }) { continue }
                }
                try remove(head.hash, onlyAt: header.sequence, &transaction, &changes)
                if isExpired { changes.tally.expired += 1 } else if !isDead { changes.tally.evicted += 1 }
            }
            // A piece without a head, too: its record's index entry was damaged.
            try removePack(oldest.number, &transaction)
            changes.forgetDead(in: oldest.number)
            if try usedPages(transaction) <= pages || count >= limit { try settle(&transaction, &changes) }
        }
        return try usedPages(transaction) <= pages
    }

    /// Looks at up to `limit` records from a pack on, and the rest of the last one's, and removes those of dead instances.
    ///
    /// Returns where to go on, or `nil` at the end.
    func sweepDead(
        from sequence: UInt64,
        limit: Int,
        _ transaction: inout WriteTransaction,
        _ changes: inout RecordChanges
    ) throws(LMDBError) -> UInt64? {
        let (packs, next) = try packs(from: sequence, limit: limit, transaction)
        for head in packs.flatMap(\.heads) where changes.ledger.dead.contains(head.header.instance) {
            try remove(head.hash, onlyAt: head.header.sequence, &transaction, &changes)
        }
        return next
    }

    /// Tells an extension of up to `limit` records from a pack on, and the rest of the last one's.
    ///
    /// Returns where to go on, or `nil` at the end.
    func fill(
        _ attached: Attached,
        from sequence: UInt64,
        below end: UInt64,
        limit: Int,
        _ transaction: inout WriteTransaction
    ) throws(LMDBError) -> UInt64? {
        let (packs, next) = try packs(from: sequence, below: end, limit: limit, transaction)
        for head in packs.flatMap(\.heads) {
            guard case .found(let header, let content) = try read(head.hash, transaction),
                header.sequence == head.header.sequence
            else { continue }
            let reference = RecordReference(IndexEntry(header), hash: head.hash)
            let plain = attached.body.readsContent ? self.plain(content, header) : []
            try attached.body.didPut(reference, content: plain, in: attached.keyspace, &transaction)
        }
        return next
    }
}
