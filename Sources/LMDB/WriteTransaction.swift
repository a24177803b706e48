internal import CLMDB
internal import Glibc

/// The one write transaction of an environment: committed or aborted on the thread that began it.
@safe
package struct WriteTransaction: ~Copyable, Transaction {
    private let environment: Environment
    // Safety: nil once LMDB has freed the transaction, which a commit does whether it succeeds or fails.
    private var handle: OpaquePointer?

    init(_ environment: Environment) throws(LMDBError) {
        var begun: OpaquePointer?
        try unsafe LMDBError.check(mdb_txn_begin(environment.handle, nil, 0, &begun), "mdb_txn_begin")
        unsafe self.handle = begun
        self.environment = environment
    }

    deinit {
        if let handle = unsafe handle { unsafe mdb_txn_abort(handle) }
    }

    package var raw: TransactionHandle {
        guard let handle = unsafe handle else { preconditionFailure("a transaction was used after its commit") }
        return unsafe TransactionHandle(pointer: handle)
    }

    consuming func commit() throws(LMDBError) {
        guard let handle = unsafe handle.take() else { return }
        try unsafe LMDBError.check(mdb_txn_commit(handle), "mdb_txn_commit")
    }

    /// Opens a named database, creating it if it is not there.
    ///
    /// With `integerKeys` the keys are 8-byte integers in the machine's own byte order, sorted as numbers.
    package mutating func open(_ name: String, integerKeys: Bool = false) throws(LMDBError) -> Database {
        var database = MDB_dbi()
        let flags = UInt32(MDB_CREATE) | (integerKeys ? UInt32(MDB_INTEGERKEY) : 0)
        try unsafe LMDBError.check(mdb_dbi_open(raw.pointer, name, flags, &database), "mdb_dbi_open")
        return Database(handle: database)
    }

    /// Stores `value` under `key`, over what was there.
    package mutating func put(_ value: [UInt8], forKey key: [UInt8], in database: Database) throws(LMDBError) {
        // Safety: the bytes are used only inside the closure, while `key` lives.
        try unsafe key.span.withUnsafeBytes { (bytes) throws(LMDBError) in
            try unsafe put(value, forBytes: bytes, in: database)
        }
    }

    /// Stores `value` under a key of fixed size, over what was there.
    package mutating func put<Key: BitwiseCopyable>(
        _ value: [UInt8],
        forKey key: Key,
        in database: Database
    ) throws(LMDBError) {
        // Safety: the bytes are used only inside the closure, while `key` lives.
        try unsafe withUnsafeBytes(of: key) { (bytes) throws(LMDBError) in
            try unsafe put(value, forBytes: bytes, in: database)
        }
    }

    @unsafe
    private mutating func put(
        _ value: [UInt8],
        forBytes key: UnsafeRawBufferPointer,
        in database: Database
    ) throws(LMDBError) {
        let result = unsafe value.withUnsafeBytes { bytes in
            var key = unsafe MDB_val(key)
            var value = unsafe MDB_val(bytes)
            return unsafe mdb_put(raw.pointer, database.handle, &key, &value, 0)
        }
        try LMDBError.check(result, "mdb_put")
    }

    /// Stores `head` followed by `tail` under a key above every other key of an integer-keyed database.
    ///
    /// The bytes are copied once, straight to their place in the page.
    package mutating func append(
        _ head: [UInt8],
        _ tail: ArraySlice<UInt8>,
        forKey key: UInt64,
        in database: Database
    ) throws(LMDBError) {
        var reserved = unsafe MDB_val(mv_size: head.count + tail.count, mv_data: nil)
        let result = unsafe withUnsafeBytes(of: key) { keyBytes in
            var key = unsafe MDB_val(keyBytes)
            let flags = UInt32(MDB_RESERVE) | UInt32(MDB_APPEND)
            return unsafe mdb_put(raw.pointer, database.handle, &key, &reserved, flags)
        }
        try LMDBError.check(result, "mdb_put")
        // Safety: LMDB reserved exactly head + tail bytes, writable until the next write of this transaction.
        let room = unsafe UnsafeMutableRawBufferPointer(start: reserved.mv_data, count: reserved.mv_size)
        unsafe head.withUnsafeBytes { unsafe room.copyMemory(from: $0) }
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: room[head.count...])
        unsafe tail.withUnsafeBytes { unsafe rest.copyMemory(from: $0) }
    }

    /// Removes what is stored under `key`, and returns whether there was something.
    @discardableResult
    package mutating func remove(_ key: [UInt8], from database: Database) throws(LMDBError) -> Bool {
        let result = unsafe key.withUnsafeBytes { bytes in
            var key = unsafe MDB_val(bytes)
            return unsafe mdb_del(raw.pointer, database.handle, &key, nil)
        }
        guard result != MDB_NOTFOUND else { return false }
        try LMDBError.check(result, "mdb_del")
        return true
    }

    /// Removes what is stored under a key of fixed size, and returns whether there was something.
    @discardableResult
    package mutating func remove<Key: BitwiseCopyable>(
        _ key: Key,
        from database: Database
    ) throws(LMDBError) -> Bool {
        let result = unsafe withUnsafeBytes(of: key) { bytes in
            var key = unsafe MDB_val(bytes)
            return unsafe mdb_del(raw.pointer, database.handle, &key, nil)
        }
        guard result != MDB_NOTFOUND else { return false }
        try LMDBError.check(result, "mdb_del")
        return true
    }
}
