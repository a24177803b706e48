/// The same records in a store of each kind.
struct FilledStores: Sendable {
    let records: Records
    let larder: FilledStore<LarderDirectory>
    let lmdb: FilledStore<RawLMDB>
    let sqlite: FilledStore<SQLiteFile>
    let files: FilledStore<FilePerKey>

    init(_ records: Records) {
        self.records = records
        larder = FilledStore(records)
        lmdb = FilledStore(records)
        sqlite = FilledStore(records)
        files = FilledStore(records)
    }
}
