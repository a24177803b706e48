internal import LMDB

/// A record of a closed store, verified.
package struct StoredBytes: Sendable {
    package let key: [UInt8]
    package let payload: [UInt8]
    package let codec: UInt16
    package let created: WallTime

    /// `nil` if it never ends.
    package let expires: WallTime?
}

/// What the header of a record says.
package struct RecordSummary: Sendable {
    package let table: StoreContent.Table
    package let recordBytes: Int
    package let codec: UInt16
    package let created: WallTime
    package let expires: WallTime?
}

extension StoreContent {
    /// A record where it was found: the head of its bytes, and how to get at the rest.
    struct Scanned {
        let sequence: UInt64
        /// `nil` if the bytes are no intact header.
        let header: RecordHeader?
        let head: DataFileEntry
    }

    /// The record stored under `key`, whether or not it has expired; `nil` if there is none.
    ///
    /// Throws `.damaged` if it cannot be read or its checksums do not hold.
    package func record(forKey key: [UInt8], in table: Table) throws(StoreError) -> StoredBytes? {
        do throws(Finding) {
            let hash = seed.hash(instance: table.instance, key: key)
            guard !file.hidden.contains(hash) else { return nil }
            guard let indexed = try reader.entry(forKey: hash.bytes, in: index) else { return nil }
            guard let entry = try IndexEntry(indexed.value(), hash: hash, seed: seed) else {
                throw Finding("the index entry of the key is damaged")
            }
            guard let head = try reader.entry(forKey: Self.dataKey(entry.sequence), in: data) else {
                throw Finding("the index points to record \(entry.sequence), which is not there")
            }
            let found = try scanned(entry.sequence, head)
            let record = try self.record(found)
            return record.key == key ? record : nil
        } catch {
            throw file.damaged(error)
        }
    }

    /// Calls `body` with the summary of each record of a table, or of all, the oldest first; damaged ones are left out.
    package func forEachSummary(in table: Table? = nil, _ body: (RecordSummary) -> Void) throws(StoreError) {
        let tables = Dictionary(uniqueKeysWithValues: tables.map { ($0.instance, $0) })
        do throws(Finding) {
            try forEachScanned { (found) throws(Finding) in
                guard let header = found.header, let owner = tables[header.instance],
                    owner.instance == table?.instance ?? owner.instance
                else { return }
                body(
                    RecordSummary(
                        table: owner,
                        recordBytes: header.recordBytes,
                        codec: header.codec,
                        created: header.created,
                        expires: header.expires == .never ? nil : header.expires
                    )
                )
            }
        } catch {
            throw file.damaged(error)
        }
    }

    /// Calls `body` with each record of a table, the oldest first; returns how many were left out as damaged.
    ///
    /// What `body` throws ends the walk.
    package func forEachRecord(
        in table: Table,
        _ body: (StoredBytes) throws -> Void
    ) throws -> Int {
        let hidden = file.hidden
        var damaged = 0
        var failure: (any Error)?
        do throws(Finding) {
            try forEachScanned { (found) throws(Finding) in
                guard let header = found.header else {
                    damaged += 1
                    return
                }
                guard header.instance == table.instance else { return }
                guard let record = try? record(found) else {
                    damaged += 1
                    return
                }
                guard !hidden.contains(seed.hash(instance: table.instance, key: record.key)) else { return }
                do {
                    try body(record)
                } catch {
                    // Only a finding gets through the walk; the error itself is thrown after it.
                    failure = error
                    throw Finding("the walk was ended")
                }
            }
        } catch {
            throw failure ?? file.damaged(error)
        }
        return damaged
    }

    // MARK: Records in the data

    /// Calls `body` with each record in the order of writing.
    func forEachScanned(_ body: (Scanned) throws(Finding) -> Void) throws(Finding) {
        // The pieces of a record follow its head under the next numbers.
        var next: UInt64 = 0
        try reader.forEachEntry(of: data) { (entry) throws(Finding) in
            guard entry.key.count == 8 else { throw Finding("a key of the data is no number") }
            let sequence = Array(entry.key).load(at: 0) as UInt64
            guard sequence >= next else { return }
            let found = try scanned(sequence, entry)
            next = sequence + UInt64(found.header.map { RecordPieces.count($0.recordBytes) } ?? 1)
            try body(found)
        }
    }

    private func scanned(_ sequence: UInt64, _ head: DataFileEntry) throws(Finding) -> Scanned {
        let bytes = try head.value(first: RecordHeader.byteCount)
        let header = unsafe RecordHeader(bytes.span.bytes, sequence: sequence, seed: seed)
        return Scanned(sequence: sequence, header: header, head: head)
    }

    /// Key and payload, verified.
    func content(of found: Scanned) throws(Finding) -> [UInt8] {
        guard let header = found.header else { throw Finding("the header of record \(found.sequence) is damaged") }
        var bytes = try found.head.value()
        for piece in 1..<max(RecordPieces.count(header.recordBytes), 1) {
            let key = Self.dataKey(found.sequence + UInt64(piece))
            guard let entry = try reader.entry(forKey: key, in: data) else {
                throw Finding("piece \(piece) of record \(found.sequence) is missing")
            }
            bytes += try entry.value()
        }
        guard bytes.count == header.recordBytes else {
            throw Finding("record \(found.sequence) has \(bytes.count) bytes, not the \(header.recordBytes) it says")
        }
        let content = Array(bytes[RecordHeader.byteCount...])
        guard seed.checksum(of: content) == header.contentChecksum else {
            throw Finding("record \(found.sequence) is damaged: its checksum is another")
        }
        return content
    }

    private func record(_ found: Scanned) throws(Finding) -> StoredBytes {
        let content = try content(of: found)
        guard let header = found.header else { throw Finding("the header of record \(found.sequence) is damaged") }
        var payload = Array(content[Int(header.keyLength)...])
        if header.isCompressed {
            guard let plain = Compressor().decompressed(payload) else {
                throw Finding("the value of record \(found.sequence) cannot be decompressed")
            }
            payload = plain
        }
        return StoredBytes(
            key: Array(content[..<Int(header.keyLength)]),
            payload: payload,
            codec: header.codec,
            created: header.created,
            expires: header.expires == .never ? nil : header.expires
        )
    }

    private static func dataKey(_ sequence: UInt64) -> [UInt8] {
        var key = [UInt8](repeating: 0, count: 8)
        key.store(sequence, at: 0)
        return key
    }
}

extension RecordHash {
    /// The bytes it is stored as.
    var bytes: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 16)
        bytes.store(low, at: 0)
        bytes.store(high, at: 8)
        return bytes
    }
}

extension IndexEntry {
    init?(_ bytes: [UInt8], hash: RecordHash, seed: HashSeed) {
        unsafe self.init(bytes.span.bytes, hash: hash, seed: seed)
    }
}
