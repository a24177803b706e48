internal import CSQLite
internal import Foundation

/// SQLite with a write-ahead log: one table without row ids, one connection and its prepared statements for each thread.
final class SQLiteFile: PersistentStore {
    static let name = "sqlite"
    static let isMapped = false

    fileprivate let path: String
    fileprivate let synchronous: String
    fileprivate let time: BenchTime?
    private let main: SQLiteSession

    convenience init(in directory: String, _ durability: BenchDurability) throws {
        try self.init(directory, durability, nil)
    }

    private init(_ directory: String, _ durability: BenchDurability, _ time: BenchTime?) throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        path = "\(directory)/records.sqlite"
        synchronous = durability == .strict ? "FULL" : "NORMAL"
        self.time = time
        main = try SQLiteSession(path: path, synchronous: synchronous, expires: time != nil)
    }

    func session() throws -> SQLiteSession {
        try SQLiteSession(path: path, synchronous: synchronous, expires: time != nil)
    }

    func count() throws -> Int {
        try main.number("SELECT count(*) FROM records")
    }

    func close() throws {
        try main.close()
    }
}

extension SQLiteFile: ClearableStore {
    func clear() throws {
        try main.execute("DELETE FROM records")
    }
}

extension SQLiteFile: ExpiringStoreSubject {
    convenience init(in directory: String, time: BenchTime) throws {
        try self.init(directory, .relaxed, time)
    }

    func put(_ value: [UInt8], forKey key: String, seconds: Int, _ session: SQLiteSession) throws {
        try session.put(value, forKey: key, expires: (time?.seconds ?? 0) + Int64(seconds))
    }

    func removeExpired() throws {
        try main.execute("DELETE FROM records WHERE expires <= \(time?.seconds ?? 0)")
    }
}
