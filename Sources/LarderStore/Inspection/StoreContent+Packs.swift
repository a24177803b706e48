internal import LMDB

/// What the index says of one record.
struct IndexRow {
    let entry: IndexEntry
    let hash: RecordHash
}

/// One pack of a closed store and the records that the index says are in it.
struct PackBytes {
    typealias Finding = DataFileCheck.Finding

    let number: UInt64
    /// In the order they lie in; none for a pack without living records.
    let rows: ArraySlice<IndexRow>
    private let entry: DataFileEntry?
    /// All bytes of a pack of small records; of a larger value the header only.
    private let head: [UInt8]

    init(_ number: UInt64, _ entry: DataFileEntry?, _ rows: ArraySlice<IndexRow>) throws(Finding) {
        self.number = number
        self.entry = entry
        self.rows = rows
        let isLarge = entry?.byteCount ?? 0 > PackLayout.limit
        head = try entry?.value(first: isLarge ? RecordHeader.byteCount : .max) ?? []
    }

    init(_ number: UInt64, _ entry: DataFileEntry?, _ rows: [IndexRow]) throws(Finding) {
        try self.init(number, entry, rows[...])
    }

    var isThere: Bool { entry != nil }

    var byteCount: Int { entry?.byteCount ?? 0 }

    /// The bytes of a record, as far as they were read; `nil` if not even its header was.
    func bytes(of row: IndexRow) -> [UInt8]? {
        let start = row.entry.place.offset
        guard start + RecordHeader.byteCount <= head.count else { return nil }
        return Array(head[start..<min(start + Int(row.entry.recordBytes), head.count)])
    }

    /// All bytes of a record that are in the pack, which is all but the further pieces of a large one.
    func wholeBytes(of row: IndexRow) throws(Finding) -> [UInt8] {
        guard head.count < byteCount, let entry else { return bytes(of: row) ?? [] }
        return Array(
            try entry.value(first: row.entry.place.offset + Int(row.entry.recordBytes))
                .dropFirst(row.entry.place.offset)
        )
    }
}

extension StoreContent {
    /// The entries of the index by place, and how many cannot be read.
    func indexRows() throws(Finding) -> (rows: [IndexRow], unreadable: Int) {
        var rows: [IndexRow] = []
        rows.reserveCapacity(index.entries)
        var unreadable = 0
        try reader.forEachEntry(of: index) { (indexed) throws(Finding) in
            if let hash = RecordHash(indexed.key), let entry = IndexEntry(try indexed.value(), hash: hash, seed: seed) {
                rows.append(IndexRow(entry: entry, hash: hash))
            } else {
                unreadable += 1
            }
        }
        rows.sort { $0.entry.sequence < $1.entry.sequence }
        return (rows, unreadable)
    }

    /// Calls `body` with each pack in the order of writing, those that rows point to in vain too.
    ///
    /// Rows are sorted by place; the further pieces of a large record count as its pack.
    func forEachPack(of rows: [IndexRow], _ body: (PackBytes) throws(Finding) -> Void) throws(Finding) {
        var (next, firstAfter) = (0, UInt64.zero)
        func takeRows(of number: UInt64) -> ArraySlice<IndexRow> {
            let start = next
            while next < rows.count, rows[next].entry.place.pack == number { next += 1 }
            return rows[start..<next]
        }
        func missing(before number: UInt64) throws(Finding) {
            while next < rows.count, rows[next].entry.place.pack < number {
                let missing = rows[next].entry.place.pack
                try body(PackBytes(missing, nil, takeRows(of: missing)))
            }
        }
        try reader.forEachEntry(of: data) { (entry) throws(Finding) in
            guard entry.key.count == 8 else { throw Finding("a key of the data is no number") }
            let number = Array(entry.key).load(at: 0) as UInt64
            guard number >= firstAfter else { return }
            try missing(before: number)
            let pack = try PackBytes(number, entry, takeRows(of: number))
            firstAfter = number + UInt64(pack.rows.last?.entry.pieces ?? 1)
            try body(pack)
        }
        try missing(before: .max)
    }
}
