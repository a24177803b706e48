internal import CRawLMDB
internal import Foundation

/// LMDB by its C interface, with one table from key to value and nothing else.
@safe
final class RawLMDB: PersistentStore, @unchecked Sendable {
    // because: LMDB's environment may be used by any thread, and nothing here changes after init.

    static let name = "raw-lmdb"
    static let isMapped = true

    // Safety: opened in init, closed in close(), after the sessions are let go.
    fileprivate let environment: OpaquePointer
    fileprivate let table: MDB_dbi

    init(in directory: String, _ durability: BenchDurability) throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        var created: OpaquePointer?
        try unsafe check(mdb_env_create(&created))
        guard let environment = unsafe created else { throw LMDBFailure(code: ENOMEM) }
        do {
            try unsafe check(mdb_env_set_mapsize(environment, 32 << 30))
            let flags = UInt32(MDB_NOTLS) | (durability == .strict ? 0 : UInt32(MDB_NOMETASYNC))
            try unsafe check(mdb_env_open(environment, directory, flags, 0o600))
            var transaction: OpaquePointer?
            try unsafe check(mdb_txn_begin(environment, nil, 0, &transaction))
            var table = MDB_dbi()
            let opened = unsafe mdb_dbi_open(transaction, nil, 0, &table)
            try unsafe check(mdb_txn_commit(transaction))
            try check(opened)
            self.table = table
        } catch {
            unsafe mdb_env_close(environment)
            throw error
        }
        unsafe self.environment = environment
    }

    func session() throws -> RawSession {
        try RawSession(self)
    }

    func count() throws -> Int {
        var transaction: OpaquePointer?
        try unsafe check(mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &transaction))
        defer { unsafe mdb_txn_abort(transaction) }
        var statistics = MDB_stat()
        try unsafe check(mdb_stat(transaction, table, &statistics))
        return Int(statistics.ms_entries)
    }

    func close() {
        unsafe mdb_env_close(environment)
    }
}

extension RawLMDB: ClearableStore {
    func clear() throws {
        var transaction: OpaquePointer?
        try unsafe check(mdb_txn_begin(environment, nil, 0, &transaction))
        let dropped = unsafe mdb_drop(transaction, table, 0)
        try unsafe check(mdb_txn_commit(transaction))
        try check(dropped)
    }
}

/// One thread's reader, renewed for each read, and its write transaction while a batch is open.
@safe
final class RawSession: StoreSession, @unchecked Sendable {
    // because: a session is used by one thread at a time; the suite makes one for each.

    private static let batch = 1_000

    private let store: RawLMDB
    // Safety: begun in init and ended in deinit, before the environment that `store` holds is closed.
    private let reader: OpaquePointer
    // Safety: nil whenever LMDB has ended the transaction.
    private var writer: OpaquePointer?
    private var pending = 0

    init(_ store: RawLMDB) throws {
        self.store = store
        var begun: OpaquePointer?
        try unsafe check(mdb_txn_begin(store.environment, nil, UInt32(MDB_RDONLY), &begun))
        guard let begun = unsafe begun else { throw LMDBFailure(code: ENOMEM) }
        unsafe mdb_txn_reset(begun)
        unsafe reader = begun
    }

    deinit {
        unsafe mdb_txn_abort(reader)
    }

    @inline(__always)
    func value(forKey key: String) throws -> [UInt8]? {
        try unsafe check(mdb_txn_renew(reader))
        defer { unsafe mdb_txn_reset(reader) }
        var key = key
        // Safety: the key is used only inside the closure, the value only until the reset.
        return try key.withUTF8 { (bytes) throws -> [UInt8]? in
            var wanted = unsafe MDB_val(
                mv_size: bytes.count,
                mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress)
            )
            var found = unsafe MDB_val()
            let result = unsafe mdb_get(reader, store.table, &wanted, &found)
            guard result != MDB_NOTFOUND else { return nil }
            try check(result)
            return unsafe [UInt8](UnsafeRawBufferPointer(start: found.mv_data, count: found.mv_size))
        }
    }

    @inline(__always)
    func put(_ value: [UInt8], forKey key: String) throws {
        if unsafe writer == nil { try unsafe check(mdb_txn_begin(store.environment, nil, 0, &writer)) }
        var key = key
        // Safety: LMDB copies both before the closures end.
        let result = key.withUTF8 { bytes in
            unsafe value.withUnsafeBytes { content in
                var wanted = unsafe MDB_val(
                    mv_size: bytes.count,
                    mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress)
                )
                var stored = unsafe MDB_val(
                    mv_size: content.count,
                    mv_data: UnsafeMutableRawPointer(mutating: content.baseAddress)
                )
                return unsafe mdb_put(writer, store.table, &wanted, &stored, 0)
            }
        }
        try check(result)
        pending += 1
        if pending == Self.batch { try flush() }
    }

    func flush() throws {
        guard let writer = unsafe writer.take() else { return }
        pending = 0
        try unsafe check(mdb_txn_commit(writer))
    }
}

/// LMDB refused.
struct LMDBFailure: Error, CustomStringConvertible {
    let code: Int32

    var description: String { unsafe String(cString: mdb_strerror(code)) }
}

@inline(__always)
private func check(_ code: Int32) throws(LMDBFailure) {
    guard code == 0 else { throw LMDBFailure(code: code) }
}
