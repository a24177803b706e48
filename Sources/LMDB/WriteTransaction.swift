internal import CLMDB
internal import Glibc

/// The one write transaction of an environment: committed or aborted on the thread that began it.
@safe
@usableFromInline
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

    @usableFromInline
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
        // Safety: the bytes are used only inside the closures, while `key` and `value` live.
        try unsafe key.span.withUnsafeBytes { (keyBytes) throws(LMDBError) in
            try unsafe value.span.withUnsafeBytes { (bytes) throws(LMDBError) in
                try unsafe raw.put(bytes, forKey: keyBytes, in: database)
            }
        }
    }

    /// Stores a value of fixed size under a key of fixed size, over what was there.
    @inlinable
    package mutating func put<Key: BitwiseCopyable, Value: BitwiseCopyable>(
        _ value: Value,
        forKey key: Key,
        in database: Database
    ) throws(LMDBError) {
        // Safety: the bytes are used only inside the closures, while `key` and `value` live.
        try unsafe withUnsafeBytes(of: key) { (keyBytes) throws(LMDBError) in
            try unsafe withUnsafeBytes(of: value) { (bytes) throws(LMDBError) in
                try unsafe raw.put(bytes, forKey: keyBytes, in: database)
            }
        }
    }

    /// Stores a value of fixed size under a key of fixed size if there is none; else calls `body` with the one there.
    ///
    /// One descent of the tree where a lookup and a write take two.
    @inlinable
    package mutating func insert<Key: BitwiseCopyable, Value: BitwiseCopyable, R>(
        _ value: Value,
        forKey key: Key,
        in database: Database,
        orElse body: (RawSpan) -> R
    ) throws(LMDBError) -> R? {
        // Safety: as above; what is there stays in place until the next write of this transaction.
        try unsafe withUnsafeBytes(of: key) { (keyBytes) throws(LMDBError) -> R? in
            try unsafe withUnsafeBytes(of: value) { (bytes) throws(LMDBError) -> R? in
                guard let found = unsafe try raw.insert(bytes, forKey: keyBytes, in: database) else { return nil }
                return unsafe body(RawSpan(_unsafeBytes: found))
            }
        }
    }

    /// Stores `byteCount` bytes under a key above every other key of an integer-keyed database, as `fill` writes them.
    ///
    /// `fill` is given their place in the page and must write all of them, and nothing else to this transaction.
    // Safety: the place is exactly as large as asked for, and writable until the next write of this transaction.
    @unsafe
    @inlinable
    package mutating func append(
        byteCount: Int,
        forKey key: UInt64,
        in database: Database,
        _ fill: (UnsafeMutableRawBufferPointer) -> Void
    ) throws(LMDBError) {
        unsafe fill(try raw.append(byteCount: byteCount, forKey: key, in: database))
    }

    /// Stores `head` followed by `tail` under a key above every other key of an integer-keyed database.
    package mutating func append(
        _ head: [UInt8],
        _ tail: ArraySlice<UInt8>,
        forKey key: UInt64,
        in database: Database
    ) throws(LMDBError) {
        // Safety: the room is as large as both together, and both are copied while they live.
        try unsafe append(byteCount: head.count + tail.count, forKey: key, in: database) { room in
            unsafe head.withUnsafeBytes { unsafe room.copyMemory(from: $0) }
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: room[head.count...])
            unsafe tail.withUnsafeBytes { unsafe rest.copyMemory(from: $0) }
        }
    }

    /// Removes what is stored under `key`, and returns whether there was something.
    @discardableResult
    package mutating func remove(_ key: [UInt8], from database: Database) throws(LMDBError) -> Bool {
        // Safety: the bytes are used only inside the closure, while `key` lives.
        try unsafe key.span.withUnsafeBytes { (bytes) throws(LMDBError) -> Bool in
            try unsafe raw.remove(bytes, from: database)
        }
    }

    /// Removes what is stored under a key of fixed size, and returns whether there was something.
    @inlinable
    @discardableResult
    package mutating func remove<Key: BitwiseCopyable>(
        _ key: Key,
        from database: Database
    ) throws(LMDBError) -> Bool {
        // Safety: as above.
        try unsafe withUnsafeBytes(of: key) { (bytes) throws(LMDBError) -> Bool in
            try unsafe raw.remove(bytes, from: database)
        }
    }
}

// Not generic, so that the generic functions above can be compiled into their callers.
// Safety: LMDB copies what it is given before each call ends; only a write transaction calls these.
extension TransactionHandle {
    @unsafe
    @usableFromInline
    func put(
        _ value: UnsafeRawBufferPointer,
        forKey key: UnsafeRawBufferPointer,
        in database: Database
    ) throws(LMDBError) {
        var key = unsafe MDB_val(key)
        var value = unsafe MDB_val(value)
        try unsafe LMDBError.check(mdb_put(pointer, database.handle, &key, &value, 0), "mdb_put")
    }

    /// The value that is there already, in the map; `nil` if the new one was stored.
    @unsafe
    @usableFromInline
    func insert(
        _ value: UnsafeRawBufferPointer,
        forKey key: UnsafeRawBufferPointer,
        in database: Database
    ) throws(LMDBError) -> UnsafeRawBufferPointer? {
        var key = unsafe MDB_val(key)
        var value = unsafe MDB_val(value)
        let result = unsafe mdb_put(pointer, database.handle, &key, &value, UInt32(MDB_NOOVERWRITE))
        if result == MDB_KEYEXIST { return unsafe value.buffer }
        try LMDBError.check(result, "mdb_put")
        return nil
    }

    @unsafe
    @usableFromInline
    func append(
        byteCount: Int,
        forKey key: UInt64,
        in database: Database
    ) throws(LMDBError) -> UnsafeMutableRawBufferPointer {
        var reserved = unsafe MDB_val(mv_size: byteCount, mv_data: nil)
        let result = unsafe withUnsafeBytes(of: key) { bytes in
            var key = unsafe MDB_val(bytes)
            return unsafe mdb_put(pointer, database.handle, &key, &reserved, UInt32(MDB_RESERVE | MDB_APPEND))
        }
        try LMDBError.check(result, "mdb_put")
        return unsafe UnsafeMutableRawBufferPointer(start: reserved.mv_data, count: reserved.mv_size)
    }

    @unsafe
    @usableFromInline
    func remove(_ key: UnsafeRawBufferPointer, from database: Database) throws(LMDBError) -> Bool {
        var key = unsafe MDB_val(key)
        let result = unsafe mdb_del(pointer, database.handle, &key, nil)
        guard result != MDB_NOTFOUND else { return false }
        try LMDBError.check(result, "mdb_del")
        return true
    }
}
