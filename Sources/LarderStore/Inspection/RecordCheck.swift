internal import LMDB

/// Compares the records of a closed store with everything that speaks of them: index, counters, expiry order.
struct RecordCheck {
    typealias Finding = DataFileCheck.Finding

    private let content: StoreContent
    /// By place, once they are read.
    private var rows: [IndexRow] = []

    init(_ content: StoreContent) {
        self.content = content
    }

    mutating func run(_ result: inout StoreVerification) throws(Finding) {
        let (rows, unreadable) = try content.indexRows()
        self.rows = rows
        for _ in 0..<unreadable { result.find("an index entry is damaged") }
        try checkPacks(&result)
        checkCounts(&result)
        try checkExtensions(&result)
    }

    /// Walks index and data side by side, both in the order of writing.
    private func checkPacks(_ result: inout StoreVerification) throws(Finding) {
        var waste = try readWaste(&result)
        let end = RecordPlace(content.ledger.nextSequence).pack
        try content.forEachPack(of: rows) { (pack) throws(Finding) in
            guard pack.isThere else {
                let count = pack.rows.count
                result.find("the index points to \(count) records in pack \(pack.number), which is not there")
                return
            }
            let pieces = UInt64(pack.rows.last?.entry.pieces ?? 1)
            if pack.number + pieces > end { result.find("pack \(pack.number) is beyond the ledger's last one") }
            var living = 0
            var lastEnd = 0
            for row in pack.rows {
                let offset = row.entry.place.offset
                if offset < lastEnd { result.find("the index has record \(row.entry.place) overlap the one before it") }
                lastEnd = offset + Int(row.entry.recordBytes)
                living += Int(row.entry.recordBytes)
                do throws(Finding) {
                    try check(pack, row)
                    result.records += 1
                } catch {
                    result.find("\(error)")
                }
            }
            check(dead: waste.removeValue(forKey: pack.number) ?? 0, of: pack, living: living, &result)
        }
        for pack in waste.keys.sorted() { result.find("dead bytes are counted of pack \(pack), which is not there") }
    }

    /// The dead bytes that the store counts, by pack.
    private func readWaste(_ result: inout StoreVerification) throws(Finding) -> [UInt64: Int] {
        var waste: [UInt64: Int] = [:]
        try content.reader.forEachEntry(of: content.packs) { (entry) throws(Finding) in
            guard entry.key.count == 8 else { throw Finding("a key of the packs is no number") }
            let pack = Array(entry.key).load(at: 0) as UInt64
            let bytes = try entry.value()
            guard let found = unsafe PackWaste(bytes.span.bytes, pack: pack, seed: content.seed) else {
                result.find("the count of dead bytes of pack \(pack) is damaged")
                return
            }
            waste[pack] = found.bytes
        }
        return waste
    }

    private func check(dead: Int, of pack: PackBytes, living: Int, _ result: inout StoreVerification) {
        // Pieces are a record's own: what becomes of them is not counted.
        let isInPieces = pack.rows.last.map { $0.entry.pieces > 1 } ?? false
        let found = isInPieces ? 0 : pack.byteCount - living
        guard found != dead || pack.rows.isEmpty else { return }
        result.find("\(found) bytes of pack \(pack.number) are in no index, not the \(dead) that are counted as dead")
    }

    private func check(_ pack: PackBytes, _ row: IndexRow) throws(Finding) {
        let (header, bytes) = try content.content(pack, row)
        let hash = content.seed.hash(instance: header.instance, key: Array(bytes[..<Int(header.keyLength)]))
        guard hash == row.hash, IndexEntry(header) == row.entry else {
            throw Finding("the index says something else of record \(row.entry.place) than the record itself")
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
