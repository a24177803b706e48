/// Nine reads, then one write of a key that is there; committed at the end of the round.
struct StoreMixing: StoreWorkload {
    let name: String
    let records: Records

    @inline(__always)
    func trial<Store: PersistentStore>(of _: Store.Type) throws -> Trial {
        let box = StoreBox<Store>()
        try box.renew()
        let filling = try box.current.sessions[0]
        for key in records.shuffled(1) { try filling.put(records.value, forKey: key) }
        try filling.flush()
        let order = records.permutation(thread: 0)
        return Trial(hits: .measured) { [records] _, operations in
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
