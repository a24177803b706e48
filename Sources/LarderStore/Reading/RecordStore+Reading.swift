internal import Glibc
internal import LMDB

/// Finding records: the same in a reader's snapshot and inside a write.
extension RecordStore {
    enum Found {
        case absent
        case found(RecordHeader, content: [UInt8])
        case damaged(sequence: UInt64)
    }

    /// Finds, verifies and copies the record under `hash`.
    func read(_ hash: RecordHash, _ transaction: borrowing some Transaction & ~Copyable) throws(LMDBError) -> Found {
        let entry = try transaction.withValue(forKey: hash, in: index) { bytes in
            IndexEntry(bytes, hash: hash, seed: seed)
        }
        guard let entry else { return .absent }
        guard let entry else { return .damaged(sequence: 0) }
        return try record(entry, transaction)
    }

    /// What a lookup by key gives.
    enum Lookup {
        case absent
        case found(RecordHeader, payload: [UInt8])
        case damaged(sequence: UInt64)
    }

    /// Finds the record of a key, verifies it in place and copies no more than its payload.
    func find(
        _ hash: RecordHash,
        key: RawSpan,
        wantsPayload: Bool,
        _ transaction: borrowing some Transaction & ~Copyable
    ) throws(LMDBError) -> Lookup {
        let entry = try transaction.withValue(forKey: hash, in: index) { bytes in
            IndexEntry(bytes, hash: hash, seed: seed)
        }
        guard let entry else { return .absent }
        guard let entry else { return .damaged(sequence: 0) }
        guard entry.pieces == 1 else {
            switch try record(entry, transaction) {
            case .absent: return .absent
            case .damaged(let sequence): return .damaged(sequence: sequence)
            case .found(let header, let content):
                let end = Int(header.keyLength)
                // Safety: bytes have no padding.
                guard unsafe content.span.bytes.extracting(..<end).equals(key) else { return .absent }
                return .found(header, payload: wantsPayload ? Array(content[end...]) : [])
            }
        }
        let place = entry.place
        let found = try transaction.withValue(forKey: place.pack, in: data) { pack -> Lookup in
            guard place.offset + Int(entry.recordBytes) <= pack.byteCount else {
                return .damaged(sequence: entry.sequence)
            }
            let bytes = pack.extracting(place.offset..<(place.offset + Int(entry.recordBytes)))
            guard let header = RecordHeader(bytes, sequence: entry.sequence, seed: seed),
                header.recordBytes == bytes.byteCount, header.instance == entry.instance
            else { return .damaged(sequence: entry.sequence) }
            let content = bytes.extracting(RecordHeader.byteCount..<bytes.byteCount)
            guard seed.checksum(of: content) == header.contentChecksum else {
                return .damaged(sequence: entry.sequence)
            }
            guard content.extracting(first: Int(header.keyLength)).equals(key) else { return .absent }
            let payload = content.extracting(Int(header.keyLength)..<content.byteCount)
            return .found(header, payload: wantsPayload ? payload.array : [])
        }
        return found ?? .damaged(sequence: entry.sequence)
    }

    private func record(
        _ entry: IndexEntry,
        _ transaction: borrowing some Transaction & ~Copyable
    ) throws(LMDBError) -> Found {
        var header: RecordHeader?
        var content: [UInt8] = []
        for piece in 0..<entry.pieces {
            let place = entry.place
            let isWhole = try transaction.withValue(forKey: place.pack + UInt64(piece), in: data) { pack -> Bool in
                guard piece == 0 else {
                    pack.append(to: &content)
                    return true
                }
                guard place.offset <= pack.byteCount else { return false }
                let bytes = pack.extracting(droppingFirst: place.offset).extracting(first: Int(entry.recordBytes))
                header = RecordHeader(bytes, sequence: entry.sequence, seed: seed)
                guard let header, header.recordBytes == entry.recordBytes, header.instance == entry.instance else {
                    return false
                }
                content.reserveCapacity(header.contentBytes)
                bytes.extracting(RecordHeader.byteCount..<bytes.byteCount).append(to: &content)
                return true
            }
            guard isWhole == true else { return .damaged(sequence: entry.sequence) }
        }
        guard let header, content.count == header.contentBytes,
            seed.checksum(of: content) == header.contentChecksum
        else { return .damaged(sequence: entry.sequence) }
        return .found(header, content: content)
    }
}

extension RawSpan {
    func equals(_ bytes: RawSpan) -> Bool {
        guard byteCount == bytes.byteCount else { return false }
        guard byteCount > 0 else { return true }
        // Safety: both are `byteCount` bytes long, as was just checked, and live until the closures end.
        return unsafe withUnsafeBytes { own in
            unsafe bytes.withUnsafeBytes { other in
                guard let own = own.baseAddress, let other = other.baseAddress else { return false }
                return unsafe memcmp(own, other, bytes.byteCount) == 0
            }
        }
    }

    func append(to bytes: inout [UInt8]) {
        // Safety: the bytes are copied while the span lives.
        unsafe withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
    }
}
