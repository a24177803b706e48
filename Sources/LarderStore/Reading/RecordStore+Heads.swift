internal import LMDB

/// Walking the data in the order of writing.
extension RecordStore {
    /// A record as its header tells of it; whether it lives, only the index knows.
    struct Head {
        let header: RecordHeader
        let hash: RecordHash
    }

    /// The records of one pack.
    struct Pack {
        let number: UInt64
        let heads: [Head]
        /// How many stretches of its bytes are no readable records.
        let gaps: Int
    }

    /// The packs from `sequence` on, until they have `limit` records, and where to go on; `nil` at the end.
    func packs(
        from sequence: UInt64,
        below end: UInt64 = .max,
        limit: Int,
        _ transaction: borrowing WriteTransaction
    ) throws(LMDBError) -> (packs: [Pack], next: UInt64?) {
        try transaction.withCursor(in: data) { (cursor) throws(LMDBError) -> (packs: [Pack], next: UInt64?) in
            var packs: [Pack] = []
            var count = 0
            var position = RecordPlace(sequence).pack
            while try cursor.move(toOrAfter: position) {
                // The keys are integers in the machine's own order, which is little-endian here.
                let number = cursor.withEntry { key, _ in key.load(UInt64.self, at: 0) }
                guard number < RecordPlace(end).pack else { return (packs, nil) }
                guard count < limit else { return (packs, RecordPlace(pack: number).sequence) }
                let (heads, gaps) = try heads(of: number, transaction)
                packs.append(Pack(number: number, heads: heads, gaps: gaps))
                count += max(heads.count, 1)
                position = number + UInt64(heads.first.map { RecordPieces.count($0.header.recordBytes) } ?? 1)
            }
            return (packs, nil)
        }
    }

    /// The records stored under a number, and how many stretches of its bytes are none.
    func heads(
        of pack: UInt64,
        _ transaction: borrowing some Transaction & ~Copyable
    ) throws(LMDBError) -> (heads: [Head], gaps: Int) {
        let found = try transaction.withValue(forKey: pack, in: data) {
            bytes -> (heads: [Head], long: PackWalk, gaps: Int) in
            let walk = PackWalk(bytes, pack: pack, seed: seed)
            var heads: [Head] = []
            heads.reserveCapacity(walk.headers.count)
            for header in walk.headers {
                let start = RecordPlace(header.sequence).offset + RecordHeader.byteCount
                let end = start + Int(header.keyLength)
                guard end <= bytes.byteCount else { continue }
                let hash = seed.hash(instance: header.instance, key: bytes.extracting(start..<end))
                heads.append(Head(header: header, hash: hash))
            }
            return (heads, walk, walk.gaps)
        }
        guard let found else { return ([], 0) }
        guard found.heads.isEmpty, let header = found.long.headers.first else { return (found.heads, found.gaps) }
        // The only record whose key goes on in its next pieces is one by itself.
        guard let hash = try hash(ofLong: header, transaction) else { return ([], 1) }
        return ([Head(header: header, hash: hash)], found.gaps)
    }

    /// The hash of a record whose key is longer than its first piece.
    private func hash(
        ofLong header: RecordHeader,
        _ transaction: borrowing some Transaction & ~Copyable
    ) throws(LMDBError) -> RecordHash? {
        var key: [UInt8] = []
        let pack = RecordPlace(header.sequence).pack
        for piece in 0..<RecordPieces.count(header.recordBytes) {
            let isThere = try transaction.withValue(forKey: pack + UInt64(piece), in: data) { bytes -> Bool in
                let content = piece == 0 ? bytes.extracting(droppingFirst: RecordHeader.byteCount) : bytes
                content.extracting(first: Int(header.keyLength) - key.count).append(to: &key)
                return true
            }
            guard isThere != nil else { return nil }
            if key.count == header.keyLength { return seed.hash(instance: header.instance, key: key) }
        }
        return nil
    }
}
