/// Records as bytes, for tools that know neither the types nor the configuration of the service a store belongs to.
extension Store {
    /// Opens a store that is there, or with `creates` makes it, without evicting anything or setting damage aside.
    ///
    /// The budget is far above what the store holds, and the durability is that of the last opening: neither is kept in a
    /// store, and another one of either must not come from looking after it. With `.sharers`, joins the processes that
    /// have the store open, if they share it; the last opening is theirs. Throws as `open` does, and `.damaged`.
    package static func openForMaintenance(
        at path: String,
        beside company: StoreFile.Company = .nobody(),
        creates: Bool = false,
        faults: StoreFaults = StoreFaults()
    ) throws(StoreError) -> Store {
        var configuration = StoreConfiguration(expiryInterval: .zero)
        do throws(StoreError) {
            let file = try StoreFile(path: path, beside: company)
            configuration.multiProcess = file.isJoined
            configuration.durability = file.durability ?? configuration.durability
            configuration.budget = .bytes(max(4 * file.fileBytes.size, configuration.budget.bytes))
        } catch {
            guard creates, error.code == .notFound else { throw error }
        }
        configuration.maxValueBytes = .bytes(min(configuration.budget.bytes / 4, 1 << 30))
        return try open(
            at: path,
            configuration: configuration,
            clock: .system,
            events: StoreEvents(),
            faults: faults,
            isMaintenance: true
        )
    }

    /// Queues a value that is encoded already; the table is created if it is not there.
    package func setBytes(
        _ payload: [UInt8],
        codec: UInt16,
        forKey key: [UInt8],
        in table: String,
        keyKind: String,
        expiration: Duration?
    ) throws(StoreError) {
        let state = try tableState(table, keyKind: keyKind)
        let now = core.clock.now
        let write = try key.withStoreKeyBytes { (bytes) throws(StoreError) -> PreparedWrite in
            try core.put(
                payload,
                codec: codec,
                key: bytes,
                in: state,
                cost: payload.count,
                created: now,
                expires: expiration.map { now + $0 }
            )
        }
        core.enqueue(write)
    }

    /// Queues the removal of a key's record, and returns whether there is a live one.
    package func removeBytes(forKey key: [UInt8], in table: String, keyKind: String) throws(StoreError) -> Bool {
        let state = try tableState(table, keyKind: keyKind)
        let isThere = key.withStoreKeyBytes { core.find($0, in: state, wantsPayload: false) != nil }
        core.enqueue(key.withStoreKeyBytes { core.removal(of: $0, in: state) })
        return isThere
    }
}
