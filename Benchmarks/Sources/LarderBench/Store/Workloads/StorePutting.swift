/// A stream of writes to an empty store, each key once in random order, committed at the end.
struct StorePutting: StoreWorkload {
    let name: String
    let records: Records

    @inline(__always)
    func trial<Store: PersistentStore>(of _: Store.Type) throws -> Trial {
        let box = StoreBox<Store>()
        let order = records.permutation(thread: 0)
        return Trial(
            hits: .none,
            round: .operations(records.count),
            prepareRound: { try box.renew() },
            space: { [records] in try box.space(for: records.payloadBytes) }
        ) { [records] _, operations in
            let session = try box.current.sessions[0]
            try order.forEach(operations) { _, key in try session.put(records.value, forKey: key) }
            try session.flush()
            return Tally()
        }
    }
}
