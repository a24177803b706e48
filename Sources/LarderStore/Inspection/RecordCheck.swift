internal import LMDB

/// Compares the records of a closed store with everything that speaks of them: index, counters, expiry order.
struct RecordCheck {
    typealias Finding = DataFileCheck.Finding

    /// What the index says of one record.
    private struct Row {
        let entry: IndexEntry
        let hash: RecordHash
    }

    private let content: StoreContent
    /// By sequence, once they are read.
    private var rows: [Row] = []

    init(_ content: StoreContent) {
        self.content = content
    }

    mutating func run(_ result: inout StoreVerification) throws(Finding) {
        try readIndex(&result)
        try checkRecords(&result)
        checkCounts(&result)
        try checkExtensions(&result)
    }

    private mutating func readIndex(_ result: inout StoreVerification) throws(Finding) {
        let (seed, ledger) = (content.seed, content.ledger)
        var rows: [Row] = []
        rows.reserveCapacity(content.index.entries)
        try content.reader.forEachEntry(of: content.index) { (indexed) throws(Finding) in
            guard let hash = RecordHash(indexed.key),
                let entry = IndexEntry(try indexed.value(), hash: hash, seed: seed)
            else {
                result.find("an index entry is damaged")
                return
            }
            guard entry.sequence + UInt64(entry.pieces) <= ledger.nextSequence else {
                result.find("the index points to record \(entry.sequence), which is beyond the ledger's last one")
                return
            }
            rows.append(Row(entry: entry, hash: hash))
        }
        rows.sort { $0.entry.sequence < $1.entry.sequence }
        self.rows = rows
    }

    /// Walks index and data side by side, both in the order of writing.
    private mutating func checkRecords(_ result: inout StoreVerification) throws(Finding) {
        let rows = rows
        var next = 0
        try content.forEachScanned { (found) throws(Finding) in
            while next < rows.count, rows[next].entry.sequence < found.sequence {
                result.find("the index points to record \(rows[next].entry.sequence), which is not there")
                next += 1
            }
            guard next < rows.count, rows[next].entry.sequence == found.sequence else {
                result.find("record \(found.sequence) is in no index")
                return
            }
            defer { next += 1 }
            do throws(Finding) {
                let bytes = try content.content(of: found)
                try check(found, bytes, rows[next])
                result.records += 1
            } catch {
                result.find("\(error)")
            }
        }
        for row in rows[next...] {
            result.find("the index points to record \(row.entry.sequence), which is not there")
        }
    }

    private func check(_ found: StoreContent.Scanned, _ bytes: [UInt8], _ row: Row) throws(Finding) {
        guard let header = found.header else { return }
        let hash = content.seed.hash(instance: header.instance, key: Array(bytes[..<Int(header.keyLength)]))
        guard hash == row.hash, IndexEntry(header) == row.entry else {
            throw Finding("the index says something else of record \(found.sequence) than the record itself")
        }
    }

    private func checkCounts(_ result: inout StoreVerification) {
        var counts: [UInt32: Ledger.Count] = [:]
        for row in rows {
            counts[row.entry.instance, default: Ledger.Count()].entries += 1
            counts[row.entry.instance, default: Ledger.Count()].bytes += Int(row.entry.recordBytes)
        }
        let ledger = content.ledger
        let names = Dictionary(uniqueKeysWithValues: ledger.tables.map { ($0.value.instance, $0.key) })
        for instance in Set(counts.keys).union(ledger.counts.keys).sorted() {
            let (said, found) = (ledger.counts[instance] ?? Ledger.Count(), counts[instance] ?? Ledger.Count())
            let table = names[instance].map { "table \"\($0)\"" } ?? "a cleared table"
            if said != found {
                result.find(
                    "\(table) has \(found.entries) records of \(found.bytes) bytes, not the \(said.entries) of "
                        + "\(said.bytes) bytes that the ledger counts"
                )
            }
            if names[instance] == nil, !ledger.dead.contains(instance), found.entries > 0 {
                result.find("\(found.entries) records belong to no table")
            }
        }
    }

    // MARK: Extensions

    private func checkExtensions(_ result: inout StoreVerification) throws(Finding) {
        let ledger = content.ledger
        let order = ledger.extensions[ExpiryOrder().name]
        let known = Set(ledger.extensions.values.map(\.id)).union(ledger.orphans)
        var strangers = 0
        var matched = 0
        try content.reader.forEachEntry(of: content.extensionData) { (entry) throws(Finding) in
            guard let id = Keyspace.id(of: entry.key), known.contains(id) else {
                strangers += 1
                return
            }
            guard id == order?.id else { return }
            if let hash = RecordHash(try entry.value()[...]), let place = ExpiryOrder.place(entry.key),
                isOrdered(place, hash)
            {
                matched += 1
            } else {
                result.find("the expiry order holds a record that is not there, or does not expire then")
            }
        }
        if strangers > 0 { result.find("\(strangers) keys belong to no extension") }
        // Records below the fill's end that it has not reached are still to be told.
        let pending = order.map { $0.filledTo..<max($0.fillEnd, $0.filledTo) } ?? 0..<UInt64.max
        let expected = rows.count { $0.entry.expires != .never && !pending.contains($0.entry.sequence) }
        if matched < expected { result.find("\(expected - matched) records that expire are not in the expiry order") }
    }

    private func isOrdered(_ place: (expires: WallTime, sequence: UInt64), _ hash: RecordHash) -> Bool {
        var (low, high) = (0, rows.count)
        while low < high {
            let middle = (low + high) / 2
            if rows[middle].entry.sequence < place.sequence { low = middle + 1 } else { high = middle }
        }
        guard low < rows.count, rows[low].entry.sequence == place.sequence else { return false }
        return rows[low].hash == hash && rows[low].entry.expires == place.expires
    }
}

extension RecordHash {
    init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.count == 16 else { return nil }
        let bytes = Array(bytes)
        low = bytes.load(at: 0)
        high = bytes.load(at: 8)
    }
}

extension Keyspace {
    /// The number of the extension that a key of the extensions' database belongs to.
    static func id(of key: ArraySlice<UInt8>) -> UInt16? {
        guard key.count >= 2 else { return nil }
        return UInt16(key[key.startIndex]) << 8 | UInt16(key[key.startIndex + 1])
    }
}

extension ExpiryOrder {
    /// The time and the record that a key of the order stands for.
    static func place(_ key: ArraySlice<UInt8>) -> (expires: WallTime, sequence: UInt64)? {
        guard key.count == 18 else { return nil }
        let key = Array(key)
        let time = (key.load(at: 2) as UInt64).byteSwapped ^ (1 << 63)
        return (WallTime(nanoseconds: Int64(bitPattern: time)), (key.load(at: 10) as UInt64).byteSwapped)
    }
}

extension [UInt8] {
    /// A little-endian number at an offset, which must be in bounds.
    func load<Number: FixedWidthInteger & BitwiseCopyable>(at offset: Int) -> Number {
        unsafe span.bytes.load(Number.self, at: offset)
    }
}
