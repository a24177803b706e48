/// Giving up records that have all expired at the same time.
struct StoreExpiring: Sendable {
    let name: String
    let records: Records

    var benchmark: Case {
        Case(name: name, threads: 1, subjects: [subject(LarderDirectory.self), subject(SQLiteFile.self)])
    }

    private func subject<Store: ExpiringStoreSubject>(_: Store.Type) -> Subject {
        Subject(name: Store.name) { [records] in
            let box = StoreBox<Store>()
            let order = records.shuffled(0)
            return Trial(
                hits: .all,
                round: .operations(records.count),
                prepareRound: {
                    let directory = try ScratchDirectory.path(Store.name)
                    let time = BenchTime()
                    try box.renew(at: directory, sessions: 1) { try Store(in: directory, time: time) }
                    let (store, session) = (try box.current.store, try box.current.sessions[0])
                    for key in order { try store.put(records.value, forKey: key, seconds: 60, session) }
                    try session.flush()
                    time.advance(seconds: 61)
                }
            ) { _, operations in
                let store = try box.current.store
                try store.removeExpired()
                return Tally(hits: try store.count() == 0 ? operations.count : 0)
            }
        }
    }
}
