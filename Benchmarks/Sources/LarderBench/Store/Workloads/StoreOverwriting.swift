/// The same key again and again: what is replaced has to give its space back.
struct StoreOverwriting: StoreWorkload {
    let name: String
    let value: Records

    /// Writes in a round.
    let operations: Int

    var includesFiles: Bool { false }

    @inline(__always)
    func trial<Store: PersistentStore>(of _: Store.Type) throws -> Trial {
        let box = StoreBox<Store>()
        return Trial(
            hits: .none,
            round: .operations(operations),
            prepareRound: { try box.renew() },
            space: { [value] in try box.space(for: value.payloadBytes) }
        ) { [value] _, operations in
            let session = try box.current.sessions[0]
            for _ in operations { try session.put(value.value, forKey: "key") }
            try session.flush()
            return Tally()
        }
    }
}
