internal import CSQLite

/// One connection with its prepared statements.
@safe
final class SQLiteSession: StoreSession, @unchecked Sendable {
    // because: a session is used by one thread at a time; the suite makes one for each.

    private static let batch = 1_000

    // Safety: opened in init, closed in close() at the latest from deinit; the statements end with it.
    private var connection: OpaquePointer?
    private var reading: OpaquePointer?
    private var writing: OpaquePointer?
    private var pending = 0

    init(path: String, synchronous: String, expires: Bool) throws {
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let opened = unsafe sqlite3_open_v2(path, &connection, flags, nil)
        try check(opened)
        unsafe sqlite3_busy_timeout(connection, 10_000)
        try execute("PRAGMA journal_mode = WAL")
        try execute("PRAGMA synchronous = \(synchronous)")
        let (column, extra) = expires ? (", expires INTEGER", ", ?3") : ("", "")
        try execute("CREATE TABLE IF NOT EXISTS records (key BLOB PRIMARY KEY, value BLOB\(column)) WITHOUT ROWID")
        if expires { try execute("CREATE INDEX IF NOT EXISTS expiry ON records (expires)") }
        try unsafe prepare("SELECT value FROM records WHERE key = ?1", &reading)
        try unsafe prepare("INSERT OR REPLACE INTO records VALUES (?1, ?2\(extra))", &writing)
    }

    deinit {
        try? close()
    }

    func close() throws {
        unsafe sqlite3_finalize(reading.take())
        unsafe sqlite3_finalize(writing.take())
        try check(unsafe sqlite3_close(connection.take()))
    }

    private func prepare(_ text: String, _ statement: inout OpaquePointer?) throws {
        try check(unsafe sqlite3_prepare_v3(connection, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil))
    }

    func execute(_ text: String) throws {
        try check(unsafe sqlite3_exec(connection, text, nil, nil, nil))
    }

    func number(_ text: String) throws -> Int {
        var statement: OpaquePointer?
        try unsafe prepare(text, &statement)
        defer { unsafe sqlite3_finalize(statement) }
        guard unsafe sqlite3_step(statement) == SQLITE_ROW else { throw failure() }
        return Int(unsafe sqlite3_column_int64(statement, 0))
    }

    func value(forKey key: String) throws -> [UInt8]? {
        var key = key
        // Safety: the key lives until the reset, and the value is copied before it.
        return try key.withUTF8 { (bytes) throws -> [UInt8]? in
            unsafe sqlite3_bind_blob(reading, 1, bytes.baseAddress, Int32(bytes.count), nil)
            defer { unsafe sqlite3_reset(reading) }
            switch unsafe sqlite3_step(reading) {
            case SQLITE_DONE: return nil
            case SQLITE_ROW: break
            default: throw failure()
            }
            let count = Int(unsafe sqlite3_column_bytes(reading, 0))
            return unsafe [UInt8](UnsafeRawBufferPointer(start: sqlite3_column_blob(reading, 0), count: count))
        }
    }

    func put(_ value: [UInt8], forKey key: String) throws {
        try put(value, forKey: key, expires: nil)
    }

    func put(_ value: [UInt8], forKey key: String, expires: Int64?) throws {
        if pending == 0 { try execute("BEGIN IMMEDIATE") }
        var key = key
        // Safety: key and value live until the reset.
        try key.withUTF8 { (bytes) throws in
            try unsafe value.withUnsafeBytes { (content) throws in
                unsafe sqlite3_bind_blob(writing, 1, bytes.baseAddress, Int32(bytes.count), nil)
                unsafe sqlite3_bind_blob(writing, 2, content.baseAddress, Int32(content.count), nil)
                if let expires { unsafe sqlite3_bind_int64(writing, 3, expires) }
                defer { unsafe sqlite3_reset(writing) }
                guard unsafe sqlite3_step(writing) == SQLITE_DONE else { throw failure() }
            }
        }
        pending += 1
        if pending == Self.batch { try flush() }
    }

    func flush() throws {
        guard pending > 0 else { return }
        pending = 0
        try execute("COMMIT")
    }

    private func check(_ code: Int32) throws {
        guard code == SQLITE_OK else { throw failure() }
    }

    private func failure() -> MeasurementError {
        MeasurementError("SQLite: \(unsafe String(cString: sqlite3_errmsg(connection)))")
    }
}
