/// Writes that are each awaited until they would survive the loss of power.
struct StorePuttingDurably: Sendable {
    let name: String
    let records: Records

    /// Of each thread.
    let operations: Int

    func on(threads: Int) -> Case {
        Case(
            name: name,
            threads: threads,
            subjects: [
                subject(LarderDirectory.self, threads), subject(RawLMDB.self, threads),
                subject(SQLiteFile.self, threads), subject(FilePerKey.self, threads),
            ]
        )
    }

    @inline(__always)
    private func subject<Store: PersistentStore>(_: Store.Type, _ threads: Int) -> Subject {
        Subject(name: Store.name) { [records, operations] in
            let box = StoreBox<Store>()
            let directory = try ScratchDirectory.path(Store.name)
            try box.renew(at: directory, sessions: threads) { try Store(in: directory, .strict) }
            let orders = (0..<threads).map { records.permutation(thread: $0) }
            return Trial(hits: .none, round: .operations(operations)) { thread, operations in
                let session = try box.current.sessions[thread]
                try orders[thread].forEach(operations) { _, key in
                    try session.put(records.value, forKey: key)
                    try session.flush()
                }
                return Tally()
            }
        }
    }
}
