/// A stream of writes to an empty store, each key once in random order, committed at the end.
struct StorePutting: Sendable {
    let name: String
    let records: Records

    var benchmark: Case {
        Case(
            name: name,
            threads: 1,
            subjects: [
                subject(LarderDirectory.self), subject(RawLMDB.self), subject(SQLiteFile.self),
                subject(FilePerKey.self),
            ]
        )
    }

    @inline(__always)
    private func subject<Store: PersistentStore>(_: Store.Type) -> Subject {
        Subject(name: Store.name) { [records] in
            let box = StoreBox<Store>()
            let order = records.permutation(thread: 0)
            return Trial(
                hits: .none,
                round: .operations(records.count),
                prepareRound: {
                    let directory = try ScratchDirectory.path(Store.name)
                    try box.renew(at: directory, sessions: 1) { try Store(in: directory, .relaxed) }
                },
                space: {
                    let bytes = try box.close().map { try ScratchDirectory.bytes(in: $0) }
                    return Space(fileBytes: bytes ?? 0, payloadBytes: records.payloadBytes)
                }
            ) { _, operations in
                let session = try box.current.sessions[0]
                try order.forEach(operations) { _, key in try session.put(records.value, forKey: key) }
                try session.flush()
                return Tally()
            }
        }
    }
}
