internal import LMDB

/// The records of a store that is read without being opened.
package struct StoreContent {
    typealias Finding = DataFileCheck.Finding

    /// One table, as the store counts it.
    package struct Table: Sendable, Hashable {
        package let name: String

        /// What its keys are, for example `string` or `int64`.
        package let keyKind: String

        package let entries: Int
        package let liveBytes: Int
        let instance: UInt32
    }

    let file: StoreFile
    let reader: DataFileReader
    let ledger: Ledger
    let data: DataFileReader.Tree
    let index: DataFileReader.Tree
    let extensionData: DataFileReader.Tree
    let packs: DataFileReader.Tree
    private let trees: [DataFileReader.Tree]

    var seed: HashSeed { HashSeed(value: ledger.seed) }

    init(_ file: StoreFile) throws(Finding) {
        self.file = file
        reader = try DataFileReader(descriptor: file.descriptor, root: file.root)
        let trees = try reader.trees()
        func tree(_ name: String) throws(Finding) -> DataFileReader.Tree {
            guard let tree = trees.first(where: { $0.name == name }) else {
                throw Finding("the database \(name) is missing, so it is no store's")
            }
            return tree
        }
        data = try tree("data")
        index = try tree("index")
        extensionData = try tree("extensions")
        packs = try tree("packs")
        let meta = try tree("meta")
        self.trees = trees
        guard let stored = try reader.entry(forKey: RecordStore.ledgerKey, in: meta)?.value() else {
            throw Finding("the ledger is missing")
        }
        switch Ledger.read(stored) {
        case .ledger(let found): ledger = found
        case .otherVersion(let version): throw Finding("the ledger has version \(version)")
        case .damaged: throw Finding("the ledger is damaged")
        }
    }

    /// The tables by name.
    package var tables: [Table] {
        ledger.tables.sorted { $0.key < $1.key }.map { name, table in
            let count = ledger.counts[table.instance] ?? Ledger.Count()
            return Table(
                name: name,
                keyKind: table.keyKind,
                entries: count.entries,
                liveBytes: count.bytes,
                instance: table.instance
            )
        }
    }

    /// The bytes of the pages in use, as the budget counts them.
    package var usedBytes: Int { (2 + trees.reduce(0) { $0 + $1.pages }) * DataFileReader.pageBytes }

    /// The bytes of the pages that are free, and of those that list them.
    package func freeBytes() throws(StoreError) -> (free: Int, list: Int) {
        do throws(Finding) {
            let pages = try reader.freePages()
            return (pages.free * DataFileReader.pageBytes, pages.list * DataFileReader.pageBytes)
        } catch {
            throw file.damaged(error)
        }
    }

    /// The records that cleared tables have left, whose space is not reclaimed yet.
    package var removedEntries: Int { ledger.dead.reduce(0) { $0 + (ledger.counts[$1]?.entries ?? 0) } }
}
