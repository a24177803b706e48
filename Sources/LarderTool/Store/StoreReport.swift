internal import LarderStore

/// What a store holds, for `larder stat`.
struct StoreReport {
    struct Table {
        let name: String
        let keyKind: String
        let entries: Int
        let liveBytes: Int
        var expired = 0
    }

    let path: String
    let removedEntries: Int
    let usedBytes: Int
    let freeBytes: Int
    let allocatedBytes: Int
    let fileBytes: Int
    private(set) var tables: [Table]
    private(set) var sizes = Histogram.sizes
    private(set) var ages = Histogram.ages

    /// Reads the header of every record.
    init(_ file: StoreFile, now: WallTime) throws(StoreError) {
        let content = try file.content()
        path = file.path
        removedEntries = content.removedEntries
        usedBytes = content.usedBytes
        let free = try content.freeBytes()
        freeBytes = free.free + free.list
        (fileBytes, allocatedBytes) = file.fileBytes
        var tables = content.tables.map {
            Table(name: $0.name, keyKind: $0.keyKind, entries: $0.entries, liveBytes: $0.liveBytes)
        }
        let places = Dictionary(uniqueKeysWithValues: tables.indices.map { (tables[$0].name, $0) })
        var (sizes, ages) = (Histogram.sizes, Histogram.ages)
        try content.forEachSummary { record in
            sizes.add(record.recordBytes)
            // A record of the future counts as written now.
            ages.add(Int(max(now - record.created, .zero).components.seconds))
            if let expires = record.expires, expires <= now, let place = places[record.table.name] {
                tables[place].expired += 1
            }
        }
        (self.tables, self.sizes, self.ages) = (tables, sizes, ages)
    }

    var entries: Int { tables.reduce(0) { $0 + $1.entries } }
    var liveBytes: Int { tables.reduce(0) { $0 + $1.liveBytes } }
}
