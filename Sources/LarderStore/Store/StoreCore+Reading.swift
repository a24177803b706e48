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
        // Two paths: what sharing needs takes a twentieth of the time of a lookup.
        guard
            var match = sharing == nil
                ? match(key, at: table.queued, wantsPayload) : sharedMatch(key, in: table, wantsPayload)
        else { return nil }
        let now = clock.now
        if match.header.created > now {
            // The wall clock was set back, or the record comes from a wrong one: its life begins now.
            match.header.restamp(at: now)
            if match.sequence > 0 {
                queue.enqueue(
                    WriteOperation(
                        .restamp(sequence: match.sequence),
                        hash: match.hash,
                        instance: match.header.instance,
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

    private func match(_ key: RawSpan, at instance: UInt32, _ wantsPayload: Bool) -> Match? {
        let hash = records.seed.hash(instance: instance, key: key)
        if let pending = queue.pending(hash) { return match(pending, key, wantsPayload) }
        let found: RecordStore.Lookup?
        do throws(LMDBError) {
            found = try readers.read { (transaction) throws(LMDBError) -> RecordStore.Lookup in
                try records.find(hash, key: key, wantsPayload: wantsPayload, transaction)
            }
        } catch {
            noteReadFailure(error)
            return nil
        }
        return match(found, hash, instance)
    }

    /// Whether there may be a record in the file that a write of the hash would replace or remove.
    func mayHold(_ hash: RecordHash) -> Bool {
        // Another process may have given the table another number.
        sharing != nil || mayHold(hash) { _ in false }
    }

    /// Whether there may be a record of the key in the file; waits for nothing but pages of the index.
    func mayHold(_ key: RawSpan, in table: TableState) -> Bool {
        let place = table.place
        guard place.stored > 0 else { return false }
        return mayHold(records.seed.hash(instance: place.stored, key: key)) { snapshot in
            // What others have committed may lie under another number of the table.
            sharing.map { !$0.isCurrent(snapshot) || table.place != place } ?? false
        }
    }

    /// Whether the index has the hash in the newest snapshot, cannot be read, or is not to be relied on in that one.
    private func mayHold(_ hash: RecordHash, isUnreliable: (_ snapshot: UInt64) -> Bool) -> Bool {
        let index = records.index
        let isThere = try? readers.read { (snapshot) throws(LMDBError) -> Bool in
            guard !isUnreliable(snapshot.number) else { return true }
            return try snapshot.contains(hash, in: index)
        }
        return (isThere ?? nil) ?? true
    }

    /// What a lookup in the file means; `nil` for one that could not be made.
    @inline(__always)
    func match(_ found: RecordStore.Lookup?, _ hash: RecordHash, _ instance: UInt32) -> Match? {
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

    /// What a queued write means for a lookup.
    @inline(__always)
    func match(_ pending: WriteOperation, _ key: RawSpan, _ wantsPayload: Bool) -> Match? {
        guard case .put(let header, let content) = pending.action else { return nil }
        // Safety: bytes have no padding.
        let bytes = unsafe content.span.bytes
        guard bytes.extracting(first: Int(header.keyLength)).equals(key) else { return nil }
        let payload = wantsPayload ? bytes.extracting(droppingFirst: Int(header.keyLength)).array : []
        return Match(header: header, payload: payload, hash: pending.hash, sequence: 0)
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
