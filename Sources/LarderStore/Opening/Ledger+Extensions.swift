internal import LMDB

extension Ledger {
    /// Registers the extensions of this opening and gives each its keyspace.
    ///
    /// One of another kind or version than last time gets a fresh keyspace and is told of the records there are; keyspaces
    /// nobody asks for any more are noted as orphans.
    mutating func attach(_ bodies: [any StoreExtension], in database: Database) -> [RecordStore.Attached] {
        for name in extensions.keys where !bodies.contains(where: { $0.name == name }) { orphan(name) }
        return bodies.map { body in
            if let record = extensions[body.name], record.kind != body.kind || record.version != body.version {
                orphan(body.name)
            }
            let record = extensions[body.name] ?? register(body)
            return RecordStore.Attached(body: body, keyspace: Keyspace(database: database, id: record.id))
        }
    }

    private mutating func orphan(_ name: String) {
        guard let record = extensions.removeValue(forKey: name) else { return }
        orphans.insert(record.id)
    }

    private mutating func register(_ body: any StoreExtension) -> ExtensionRecord {
        while orphans.contains(nextExtension) || extensions.values.contains(where: { $0.id == nextExtension }) {
            nextExtension &+= 1
        }
        let record = ExtensionRecord(
            id: nextExtension,
            kind: body.kind,
            version: body.version,
            fillEnd: nextSequence,
            filledTo: Self.firstSequence
        )
        nextExtension &+= 1
        extensions[body.name] = record
        return record
    }
}
