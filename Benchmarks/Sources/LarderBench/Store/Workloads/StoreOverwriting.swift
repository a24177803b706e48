/// The same key again and again: what is replaced has to give its space back.
struct StoreOverwriting: Sendable {
    let name: String
    let value: Records

    /// Writes in a round.
    let operations: Int

    var benchmark: Case {
        Case(
            name: name,
            threads: 1,
            subjects: [subject(LarderDirectory.self), subject(RawLMDB.self), subject(SQLiteFile.self)]
        )
    }

    @inline(__always)
    private func subject<Store: PersistentStore>(_: Store.Type) -> Subject {
        Subject(name: Store.name) { [value, operations] in
            let box = StoreBox<Store>()
            return Trial(
                hits: .none,
                round: .operations(operations),
                prepareRound: {
                    let directory = try ScratchDirectory.path(Store.name)
                    try box.renew(at: directory, sessions: 1) { try Store(in: directory, .relaxed) }
                },
                space: {
                    let bytes = try box.close().map { try ScratchDirectory.bytes(in: $0) }
                    return Space(fileBytes: bytes ?? 0, payloadBytes: value.payloadBytes)
                }
            ) { _, operations in
                let session = try box.current.sessions[0]
                for _ in operations { try session.put(value.value, forKey: "key") }
                try session.flush()
                return Tally()
            }
        }
    }
}
