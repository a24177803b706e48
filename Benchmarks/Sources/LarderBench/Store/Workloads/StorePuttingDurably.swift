/// Writes that are each awaited until they would survive the loss of power.
struct StorePuttingDurably: StoreWorkload {
    let name: String
    let records: Records

    /// Of each thread.
    let operations: Int
    let threads: Int

    @inline(__always)
    func trial<Store: PersistentStore>(of _: Store.Type) throws -> Trial {
        let box = StoreBox<Store>()
        try box.renew(sessions: threads, .strict)
        let orders = (0..<threads).map { records.permutation(thread: $0) }
        return Trial(hits: .none, round: .operations(operations)) { [records] thread, operations in
            let session = try box.current.sessions[thread]
            try orders[thread].forEach(operations) { _, key in
                try session.put(records.value, forKey: key)
                try session.flush()
            }
            return Tally()
        }
    }
}
