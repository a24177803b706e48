/// Nine reads, then one write of a key that is there; committed at the end of the round.
struct StoreMixing: Sendable {
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
            let directory = try ScratchDirectory.path(Store.name)
            try box.renew(at: directory, sessions: 1) { try Store(in: directory, .relaxed) }
            let filling = try box.current.sessions[0]
            for key in records.shuffled(1) { try filling.put(records.value, forKey: key) }
            try filling.flush()
            let order = records.permutation(thread: 0)
            return Trial(hits: .measured) { _, operations in
                var tally = Tally()
                let session = try box.current.sessions[0]
                try order.forEach(operations) { operation, key in
                    guard operation % 10 != 9 else { return try session.put(records.value, forKey: key) }
                    guard let value = try session.value(forKey: key) else { return }
                    tally.hits += value.count == records.value.count ? 1 : 0
                    tally.sink &+= Int(value[0])
                }
                try session.flush()
                return tally
            }
        }
    }
}
