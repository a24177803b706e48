internal import LMDB
internal import Synchronization

/// Lookups: queued writes first, then the newest snapshot on the disk.
extension StoreCore {
    /// What a lookup found, before decoding.
    @usableFromInline
    struct Match: Sendable {
        @usableFromInline var header: RecordHeader
        @usableFromInline var payload: [UInt8]
        let hash: RecordHash
        /// Zero for a write that is still queued.
        let sequence: UInt64
    }

    /// Finds a live record; what is damaged is removed behind the caller's back and is a miss.
    ///
    /// `payload` is left empty unless asked for.
    @usableFromInline
    func find(_ key: RawSpan, in table: TableState, wantsPayload: Bool = true) -> Match? {
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
                        key: key.array,
                        admission: nil
                    )
                )
            }
        }
        guard match.header.expires > now else { return nil }
        guard wantsPayload, match.header.isCompressed else { return match }
        guard let payload = records.compressor.decompressed(match.payload) else {
            reject(match)
            return nil
        }
        match.payload = payload
        return match
    }

    private func match(_ hash: RecordHash, _ key: RawSpan, _ instance: UInt32, _ wantsPayload: Bool) -> Match? {
        if let pending = queue.pending(hash) {
            guard case .put(let header, let content) = pending.action else { return nil }
            // Safety: bytes have no padding.
            let bytes = unsafe content.span.bytes
            guard bytes.extracting(first: Int(header.keyLength)).equals(key) else { return nil }
            let payload = wantsPayload ? bytes.extracting(droppingFirst: Int(header.keyLength)).array : []
            return Match(header: header, payload: payload, hash: hash, sequence: 0)
        }
        let found: RecordStore.Lookup?
        do throws(LMDBError) {
            found = try readers.read { (transaction) throws(LMDBError) -> RecordStore.Lookup in
                try records.find(hash, key: key, wantsPayload: wantsPayload, transaction)
            }
        } catch {
            noteReadFailure(error)
            return nil
        }
        switch found {
        case nil:
            noteReadFailure(nil)
            return nil
        case .absent?:
            return nil
        case .damaged(let sequence)?:
            meetDamaged(hash, at: sequence)
            return nil
        case .found(let header, let payload)?:
            guard header.instance == instance else { return nil }
            return Match(header: header, payload: payload, hash: hash, sequence: header.sequence)
        }
    }

    /// Counts a lookup that found a value, and remembers for the eviction that it was used.
    @usableFromInline
    func noteHit(_ match: Match) {
        sketch.note(match.hash)
        counters.hits.count()
    }

    @usableFromInline
    func noteMiss() {
        counters.misses.count()
    }

    /// Gets rid of a record whose payload its table's codec does not understand.
    @usableFromInline
    func reject(_ match: Match) {
        if match.sequence > 0 {
            discard(match.hash, at: match.sequence)
        } else {
            counters.damaged.count()
        }
    }

    /// Counts a damaged record and has it removed, unless it is replaced first.
    func discard(_ hash: RecordHash, at sequence: UInt64) {
        counters.damaged.count()
        queue.enqueue(
            WriteOperation(.discard(sequence: sequence), hash: hash, instance: 0, key: [], admission: nil)
        )
    }
}
