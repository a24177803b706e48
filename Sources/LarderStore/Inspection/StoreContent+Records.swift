internal import LMDB

/// A record of a store that is read without being opened, verified.
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
            let head = try reader.entry(forKey: entry.place.pack.bytes, in: data)
            let pack = try PackBytes(entry.place.pack, head, [IndexRow(entry: entry, hash: hash)])
            let record = try self.record(pack, pack.rows[0])
            return record.key == key ? record : nil
        } catch {
            throw file.damaged(error)
        }
    }

    /// Calls `body` with the summary of each record of a table, or of all, the oldest first; damaged ones are left out.
    package func forEachSummary(in table: Table? = nil, _ body: (RecordSummary) -> Void) throws(StoreError) {
        let tables = Dictionary(uniqueKeysWithValues: tables.map { ($0.instance, $0) })
        do throws(Finding) {
            try forEachPack(of: indexRows().rows) { (pack) throws(Finding) in
                for row in pack.rows {
                    guard let header = header(pack, row), let owner = tables[header.instance],
                        owner.instance == table?.instance ?? owner.instance
                    else { continue }
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
            let (rows, unreadable) = try indexRows()
            damaged = unreadable
            try forEachPack(of: rows.filter { $0.entry.instance == table.instance }) { (pack) throws(Finding) in
                for row in pack.rows {
                    guard let record = try? record(pack, row) else {
                        damaged += 1
                        continue
                    }
                    guard !hidden.contains(row.hash) else { continue }
                    do {
                        try body(record)
                    } catch {
                        // Only a finding gets through the walk; the error itself is thrown after it.
                        failure = error
                        throw Finding("the walk was ended")
                    }
                }
            }
        } catch {
            throw failure ?? file.damaged(error)
        }
        return damaged
    }

    // MARK: Records in packs

    /// The header of a record; `nil` if it is not there or damaged.
    private func header(_ pack: PackBytes, _ row: IndexRow) -> RecordHeader? {
        guard let bytes = pack.bytes(of: row) else { return nil }
        let header = unsafe RecordHeader(bytes.span.bytes, sequence: row.entry.sequence, seed: seed)
        guard header?.recordBytes == Int(row.entry.recordBytes) else { return nil }
        return header
    }

    /// Header, key and payload, verified.
    func content(_ pack: PackBytes, _ row: IndexRow) throws(Finding) -> (header: RecordHeader, bytes: [UInt8]) {
        let place = row.entry.place
        guard pack.isThere else { throw Finding("the index points to record \(place), which is not there") }
        guard let header = header(pack, row) else { throw Finding("the header of record \(place) is damaged") }
        var bytes = try pack.wholeBytes(of: row)
        for piece in 1..<max(row.entry.pieces, 1) {
            guard let entry = try reader.entry(forKey: (place.pack + UInt64(piece)).bytes, in: data) else {
                throw Finding("piece \(piece) of record \(place) is missing")
            }
            bytes += try entry.value()
        }
        guard bytes.count == header.recordBytes else {
            throw Finding("record \(place) has \(bytes.count) bytes, not the \(header.recordBytes) it says")
        }
        let content = Array(bytes[RecordHeader.byteCount...])
        guard seed.checksum(of: content) == header.contentChecksum else {
            throw Finding("record \(place) is damaged: its checksum is another")
        }
        return (header, content)
    }

    private func record(_ pack: PackBytes, _ row: IndexRow) throws(Finding) -> StoredBytes {
        let (header, content) = try content(pack, row)
        var payload = Array(content[Int(header.keyLength)...])
        if header.isCompressed {
            guard let plain = Compressor().decompressed(payload) else {
                throw Finding("the value of record \(row.entry.place) cannot be decompressed")
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
