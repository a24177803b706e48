/// Removing everything at once, up to the commit; what is done about it later is off the clock.
struct StoreClearing: Sendable {
    let name: String
    let stores: FilledStores

    var benchmark: Case {
        Case(name: name, threads: 1, subjects: [subject(stores.larder), subject(stores.lmdb), subject(stores.sqlite)])
    }

    private func subject<Store: ClearableStore>(_ filled: FilledStore<Store>) -> Subject {
        Subject(name: Store.name) {
            let box = StoreBox<Store>()
            return Trial(
                hits: .all,
                round: .operations(1),
                prepareRound: {
                    let directory = try ScratchDirectory.path(Store.name)
                    try ScratchDirectory.copyFiles(from: try filled.closed(), to: directory)
                    try box.renew(at: directory, sessions: 0) { try Store(in: directory, .relaxed) }
                }
            ) { _, operations in
                let store = try box.current.store
                try store.clear()
                return Tally(hits: try store.count() == 0 ? operations.count : 0)
            }
        }
    }
}
