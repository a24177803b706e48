internal import CLMDB

/// What a read and a write transaction have in common: looking things up.
///
/// Spans given to a closure point into the map. They end with the closure, and inside a write transaction they also end
/// with the next write, which the closure therefore must not do.
@usableFromInline
package protocol Transaction: ~Copyable {
    /// The raw handle, for this module alone.
    var raw: TransactionHandle { get }
}

/// An `MDB_txn` pointer that other modules can carry but not use.
@safe
@usableFromInline
package struct TransactionHandle {
    // Safety: valid while the transaction that hands it out lives; only `Transaction`'s own methods use it.
    let pointer: OpaquePointer
}

extension TransactionHandle {
    /// The bytes stored under `key`, in the map; `nil` if there are none.
    ///
    /// Not generic, so that the generic functions around it can be compiled into their callers.
    // Safety: the caller keeps the transaction alive while it uses the bytes, and does not write.
    @unsafe
    @usableFromInline
    package func find(
        _ key: UnsafeRawBufferPointer,
        in database: Database
    ) throws(LMDBError) -> UnsafeRawBufferPointer? {
        var found = unsafe MDB_val()
        var wanted = unsafe MDB_val(key)
        let result = unsafe mdb_get(pointer, database.handle, &wanted, &found)
        guard result != MDB_NOTFOUND else { return nil }
        try LMDBError.check(result, "mdb_get")
        return unsafe found.buffer
    }
}

extension Transaction where Self: ~Copyable {
    /// Calls `body` with the value stored under `key`, or returns `nil` if there is none.
    @inlinable
    package func withValue<R>(
        forKey key: [UInt8],
        in database: Database,
        _ body: (RawSpan) -> R
    ) throws(LMDBError) -> R? {
        // Safety: the key's bytes are used only inside the closure, while `key` lives. LMDB keeps the value in place until
        // the transaction ends or writes; the span ends before both.
        try unsafe key.span.withUnsafeBytes { (bytes) throws(LMDBError) -> R? in
            guard let found = unsafe try raw.find(bytes, in: database) else { return nil }
            return unsafe body(RawSpan(_unsafeBytes: found))
        }
    }

    /// Calls `body` with the value stored under a key of fixed size, or returns `nil` if there is none.
    @inlinable
    package func withValue<Key: BitwiseCopyable, R>(
        forKey key: Key,
        in database: Database,
        _ body: (RawSpan) -> R
    ) throws(LMDBError) -> R? {
        // Safety: as above.
        try unsafe withUnsafeBytes(of: key) { (bytes) throws(LMDBError) -> R? in
            guard let found = unsafe try raw.find(bytes, in: database) else { return nil }
            return unsafe body(RawSpan(_unsafeBytes: found))
        }
    }

    /// Whether something is stored under a key of fixed size.
    package func contains<Key: BitwiseCopyable>(_ key: Key, in database: Database) throws(LMDBError) -> Bool {
        try withValue(forKey: key, in: database) { _ in true } ?? false
    }

    /// The pages and entries of `database`, in constant time.
    package func statistics(of database: Database) throws(LMDBError) -> DatabaseStatistics {
        var statistics = MDB_stat()
        try unsafe LMDBError.check(mdb_stat(raw.pointer, database.handle, &statistics), "mdb_stat")
        return DatabaseStatistics(
            depth: Int(statistics.ms_depth),
            branchPages: Int(statistics.ms_branch_pages),
            leafPages: Int(statistics.ms_leaf_pages),
            overflowPages: Int(statistics.ms_overflow_pages),
            entries: Int(statistics.ms_entries)
        )
    }

    /// Runs `body` with a cursor over `database`, which ends with it.
    package func withCursor<R>(
        in database: Database,
        _ body: (inout Cursor) throws(LMDBError) -> R
    ) throws(LMDBError) -> R {
        var cursor = try Cursor(raw, database)
        return try body(&cursor)
    }

    /// The number of the snapshot this transaction sees or makes.
    package var number: UInt64 {
        UInt64(unsafe mdb_txn_id(raw.pointer))
    }
}

extension MDB_val {
    // Safety: LMDB reads through the pointer and never writes through a key or a value it is given.
    @unsafe
    init(_ bytes: UnsafeRawBufferPointer) {
        // An empty span has no address; LMDB wants one even for zero bytes.
        unsafe self.init(
            mv_size: bytes.count,
            mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 8))
        )
    }

    @unsafe
    var buffer: UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: mv_data, count: mv_size)
    }
}
