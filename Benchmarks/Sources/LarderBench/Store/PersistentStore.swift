/// What a subject of the suite must be able to do.
protocol PersistentStore: Sendable {
    associatedtype Session: StoreSession

    /// The name of the subject.
    static var name: String { get }

    /// Whether it reads through a map of its file, whose pages cost a fault each when they are first touched.
    static var isMapped: Bool { get }

    /// Opens what is in the directory, or makes it, with these promises for what is written.
    init(in directory: String, _ durability: BenchDurability) throws

    /// A way in for one thread at a time.
    func session() throws -> Session

    /// The number of records.
    func count() throws -> Int

    /// Closes the files, once all sessions are let go.
    func close() throws
}

/// What a write is to survive; each subject takes its nearest settings.
enum BenchDurability: Sendable {
    /// The files stay intact whatever happens, the last writes may be missing.
    case relaxed

    /// Each flush survives the loss of power.
    case strict
}

/// One thread's way into a store.
protocol StoreSession: AnyObject, Sendable {
    /// A copy of the value.
    func value(forKey key: String) throws -> [UInt8]?

    /// Writes as a part of whatever the subject takes for a batch.
    func put(_ value: [UInt8], forKey key: String) throws

    /// Ends the batch: what was put is committed when this returns.
    func flush() throws
}

/// A subject whose clearing is measured.
protocol ClearableStore: PersistentStore {
    /// Removes every record, committed when this returns.
    func clear() throws
}

/// A subject whose records can have an end.
protocol ExpiringStoreSubject: PersistentStore {
    /// Opens a store whose time stands still until it is moved.
    init(in directory: String, time: BenchTime) throws

    /// Writes, as a part of a batch that the session's flush ends, a record that ends after so many seconds.
    func put(_ value: [UInt8], forKey key: String, seconds: Int, _ session: Session) throws

    /// Removes what has expired, committed when this returns.
    func removeExpired() throws
}
