internal import CLMDB
internal import Glibc

/// A position in a database, walked in key order.
@safe
package struct Cursor: ~Copyable {
    /// Where to move.
    package enum Step: Sendable {
        case first
        case next
        case last
        case previous
    }

    // Safety: opened in init and closed in deinit, before its transaction ends: `withCursor` scopes it.
    private let handle: OpaquePointer
    // Safety: they point into the map; valid after a successful move until the next move, write or end.
    private var key = unsafe MDB_val()
    private var value = unsafe MDB_val()

    init(_ transaction: TransactionHandle, _ database: Database) throws(LMDBError) {
        var opened: OpaquePointer?
        try unsafe LMDBError.check(
            mdb_cursor_open(transaction.pointer, database.handle, &opened),
            "mdb_cursor_open"
        )
        guard let handle = unsafe opened else { throw LMDBError(call: "mdb_cursor_open", result: ENOMEM) }
        unsafe self.handle = handle
    }

    deinit {
        unsafe mdb_cursor_close(handle)
    }

    /// Moves, and returns whether there is an entry.
    package mutating func move(_ step: Step) throws(LMDBError) -> Bool {
        let operation: MDB_cursor_op =
            switch step {
            case .first: MDB_FIRST
            case .next: MDB_NEXT
            case .last: MDB_LAST
            case .previous: MDB_PREV
            }
        return try finish(unsafe mdb_cursor_get(handle, &key, &value, operation))
    }

    /// Moves to the first entry whose key is `wanted` or comes after it, and returns whether there is one.
    package mutating func move(toOrAfter wanted: [UInt8]) throws(LMDBError) -> Bool {
        let result = unsafe wanted.withUnsafeBytes { bytes in
            // LMDB rewrites the key to point into the map, so nothing here outlives `bytes`.
            unsafe key = MDB_val(bytes)
            return unsafe mdb_cursor_get(handle, &key, &value, MDB_SET_RANGE)
        }
        return try finish(result)
    }

    /// Moves to the first entry whose key of fixed size is `wanted` or comes after it.
    package mutating func move<Key: BitwiseCopyable>(toOrAfter wanted: Key) throws(LMDBError) -> Bool {
        let result = unsafe withUnsafeBytes(of: wanted) { bytes in
            unsafe key = MDB_val(bytes)
            return unsafe mdb_cursor_get(handle, &key, &value, MDB_SET_RANGE)
        }
        return try finish(result)
    }

    private func finish(_ result: Int32) throws(LMDBError) -> Bool {
        guard result != MDB_NOTFOUND else { return false }
        try LMDBError.check(result, "mdb_cursor_get")
        return true
    }

    /// Calls `body` with the key and the value of the entry the last successful move found.
    package func withEntry<R>(_ body: (_ key: RawSpan, _ value: RawSpan) -> R) -> R {
        // Safety: see the properties; the spans end with the closure.
        unsafe body(RawSpan(_unsafeBytes: key.buffer), RawSpan(_unsafeBytes: value.buffer))
    }

    /// Removes the entry the last successful move found; the next `.next` finds the one after it.
    package mutating func remove() throws(LMDBError) {
        try unsafe LMDBError.check(mdb_cursor_del(handle, 0), "mdb_cursor_del")
    }
}
