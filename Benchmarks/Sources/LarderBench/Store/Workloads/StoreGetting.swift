/// Reads of keys that are all there, in random order.
struct StoreGetting: Sendable {
    let name: String
    let stores: FilledStores

    /// A million files would take longer to make than everything else together.
    var includesFiles = true

    func on(threads: Int) -> Case {
        var subjects = [
            subject(stores.larder, threads), subject(stores.lmdb, threads), subject(stores.sqlite, threads),
        ]
        if includesFiles { subjects.append(subject(stores.files, threads)) }
        return Case(name: name, threads: threads, subjects: subjects)
    }

    @inline(__always)
    private func subject<Store: PersistentStore>(_ filled: FilledStore<Store>, _ threads: Int) -> Subject {
        let records = stores.records
        return Subject(name: Store.name) {
            let store = try filled.opened()
            let sessions = try (0..<threads).map { _ in try store.session() }
            let orders = (0..<threads).map { records.permutation(thread: $0) }
            return Trial(hits: .all, space: { try filled.space() }) { thread, operations in
                var tally = Tally()
                let session = sessions[thread]
                try orders[thread].forEach(operations) { _, key in
                    guard let value = try session.value(forKey: key) else { return }
                    tally.hits += value.count == records.value.count ? 1 : 0
                    tally.sink &+= Int(value[0])
                }
                return tally
            }
        }
    }
}
