internal import LMDB
internal import Synchronization

/// Lookups: queued writes first, then the newest snapshot on the disk.
extension StoreCore {
    /// What a lookup found, before decoding.
    struct Match: Sendable {
        var header: RecordHeader
        let payload: [UInt8]
        let hash: RecordHash
        /// Zero for a write that is still queued.
        let sequence: UInt64
    }

    /// Finds a live record; what is damaged is removed behind the caller's back and is a miss.
    ///
    /// `payload` is left empty unless asked for.
    func find(_ key: [UInt8], in table: TableState, wantsPayload: Bool = true) -> Match? {
        guard isUsable, !isClosing.load(ordering: .acquiring) else { return nil }
        let instance = table.instance.load(ordering: .acquiring)
        let hash = records.seed.hash(instance: instance, key: key)
        guard var match = match(hash, key, instance, wantsPayload) else { return nil }
        let now = clock.now
        if match.header.created > now {
            // The wall clock was set back, or the record comes from a wrong one: its life begins now.
            match.header.restamp(at: now)
            if match.sequence > 0 {
                queue.enqueue(
                    WriteOperation(
                        .restamp(sequence: match.sequence),
                        hash: hash,
                        instance: instance,
                        key: key,
                        admission: nil
                    )
                )
            }
        }
        return match.header.expires > now ? match : nil
    }

    private func match(_ hash: RecordHash, _ key: [UInt8], _ instance: UInt32, _ wantsPayload: Bool) -> Match? {
        if let pending = queue.pending(hash) {
            guard case .put(let header, let content) = pending.action, pending.key == key else { return nil }
            let payload = wantsPayload ? Array(content[Int(header.keyLength)...]) : []
            return Match(header: header, payload: payload, hash: hash, sequence: 0)
        }
        let found: RecordStore.Lookup?
        do throws(LMDBError) {
            found = try readers.read { (transaction) throws(LMDBError) -> RecordStore.Lookup in
                try records.find(hash, key: key, wantsPayload: wantsPayload, transaction)
            }
        } catch {
            counters.readFailures.count()
            return nil
        }
        switch found {
        case nil:
            counters.readFailures.count()
            return nil
        case .absent?:
            return nil
        case .damaged(let sequence)?:
            discard(hash, at: sequence)
            return nil
        case .found(let header, let payload)?:
            guard header.instance == instance else { return nil }
            return Match(header: header, payload: payload, hash: hash, sequence: header.sequence)
        }
    }

    /// Counts a record that cannot be decoded and has it removed; a queued one is removed by what is queued next.
    func refuse(_ match: Match) {
        guard match.sequence > 0 else {
            counters.damaged.count()
            return
        }
        discard(match.hash, at: match.sequence)
    }

    /// Counts a damaged record and has it removed, unless it is replaced first.
    func discard(_ hash: RecordHash, at sequence: UInt64) {
        counters.damaged.count()
        queue.enqueue(
            WriteOperation(.discard(sequence: sequence), hash: hash, instance: 0, key: [], admission: nil)
        )
    }
}
