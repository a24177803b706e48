internal import CLMDB
internal import Glibc

extension Environment {
    /// Appends every entry of `database` to an empty one of another environment; returns `false` if it was stopped.
    ///
    /// In transactions of about `sliceBytes`, because LMDB never gives the memory of a large one back. Entries are taken as
    /// they are met, so the copy has full pages, and neither the free pages nor the leaked ones of the original. Only the
    /// writer thread of both calls this, and nobody may write to the original meanwhile.
    package func copyEntries(
        of database: Database,
        to target: Environment,
        _ copy: Database,
        sliceBytes: Int,
        shouldStop: () -> Bool
    ) throws(LMDBError) -> Bool {
        try read { (snapshot) throws(LMDBError) -> Bool in
            var opened: OpaquePointer?
            try unsafe LMDBError.check(
                mdb_cursor_open(snapshot.raw.pointer, database.handle, &opened),
                "mdb_cursor_open"
            )
            guard let cursor = unsafe opened else { throw LMDBError(call: "mdb_cursor_open", result: ENOMEM) }
            defer { unsafe mdb_cursor_close(cursor) }
            var (key, value) = unsafe (MDB_val(), MDB_val())
            var result = unsafe mdb_cursor_get(cursor, &key, &value, MDB_FIRST)
            while result == MDB_SUCCESS {
                guard !shouldStop() else { return false }
                try target.write { (transaction) throws(LMDBError) in
                    var bytes = 0
                    while result == MDB_SUCCESS, bytes < sliceBytes {
                        bytes += unsafe key.mv_size + value.mv_size
                        // Safety: key and value point into the snapshot's map, which nothing moves before its end.
                        try unsafe LMDBError.check(
                            mdb_put(transaction.raw.pointer, copy.handle, &key, &value, UInt32(MDB_APPEND)),
                            "mdb_put"
                        )
                        result = unsafe mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
                    }
                }
            }
            guard result == MDB_NOTFOUND else { throw LMDBError(call: "mdb_cursor_get", result: result) }
            return true
        }
    }
}
