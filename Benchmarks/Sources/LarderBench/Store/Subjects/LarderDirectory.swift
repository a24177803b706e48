internal import LarderStore

/// The store of this library, as a client gets it.
struct LarderDirectory: PersistentStore {
    static let name = "larder"
    static let isMapped = true

    let store: Store
    fileprivate let table: StoreTable<String, [UInt8]>

    init(in directory: String, _ durability: BenchDurability) throws {
        try self.init(directory, durability, .system)
    }

    private init(_ directory: String, _ durability: BenchDurability, _ clock: WallClock) throws {
        var configuration = StoreConfiguration(budget: .gibibytes(8))
        configuration.durability = durability == .strict ? .strict : .commit
        store = try Store.open(at: directory, configuration: configuration, clock: clock)
        table = try store.table("records", codec: .bytes)
    }

    func session() -> LarderSession {
        LarderSession(self)
    }

    func count() -> Int {
        table.count
    }

    func close() throws {
        try store.close()
    }
}

extension LarderDirectory: ClearableStore {
    func clear() throws {
        table.removeAll()
        try store.flush()
    }
}

extension LarderDirectory: ExpiringStoreSubject {
    init(in directory: String, time: BenchTime) throws {
        try self.init(
            directory,
            .relaxed,
            WallClock { WallTime(nanoseconds: time.seconds &* 1_000_000_000) }
        )
    }

    func put(_ value: [UInt8], forKey key: String, seconds: Int, _ session: LarderSession) throws {
        try table.setValue(value, forKey: key, expiration: .seconds(seconds))
    }

    func removeExpired() throws {
        try store.removeExpired()
    }
}

final class LarderSession: StoreSession {
    private let store: Store
    private let table: StoreTable<String, [UInt8]>

    init(_ directory: LarderDirectory) {
        store = directory.store
        table = directory.table
    }

    @inline(__always)
    func value(forKey key: String) -> [UInt8]? {
        table.value(forKey: key)
    }

    @inline(__always)
    func put(_ value: [UInt8], forKey key: String) throws {
        try table.setValue(value, forKey: key)
    }

    func flush() throws {
        try store.flush()
    }
}
