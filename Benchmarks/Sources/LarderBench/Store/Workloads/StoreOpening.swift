/// Opening a store that was closed, up to its exact number of records.
struct StoreOpening: Sendable {
    let name: String
    let stores: FilledStores

    var benchmark: Case {
        Case(name: name, threads: 1, subjects: [subject(stores.larder), subject(stores.lmdb), subject(stores.sqlite)])
    }

    private func subject<Store: PersistentStore>(_ filled: FilledStore<Store>) -> Subject {
        let count = stores.records.count
        return Subject(name: Store.name) {
            // Closed after each round, off the clock.
            let box = StoreBox<Store>()
            return Trial(
                hits: .all,
                round: .operations(1),
                prepareRound: {
                    try box.close()
                    _ = try filled.closed()
                },
                space: {
                    try box.close()
                    return try filled.space()
                }
            ) { _, operations in
                let directory = try filled.closed()
                let store = try Store(in: directory, .relaxed)
                let isExact = try store.count() == count
                try box.adopt(store, at: directory)
                return Tally(hits: isExact ? operations.count : 0)
            }
        }
    }
}
