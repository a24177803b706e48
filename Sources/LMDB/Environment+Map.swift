internal import CLMDB
internal import Glibc

extension Environment {
    /// Takes over the larger map that another process has made room with; until then every transaction fails with
    /// `.mapResized`.
    ///
    /// No transaction of this process may be active, and no reader may be held. Throws `.outOfMemory`, and leaves the
    /// present map as it is, if there is no address space for the larger one.
    package func adoptMap() throws(LMDBError) {
        guard let metas = metaBytes else { throw LMDBError(call: "pread", result: EIO) }
        // The size stands behind the page's header, magic number, version and address; the larger one of both counts.
        let sizes = [32, metas.count / 2 + 32].map { offset in
            metas[offset..<(offset + 8)].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        }
        guard let wanted = sizes.max(), let bytes = Int(exactly: wanted) else {
            throw LMDBError(call: "mdb_env_set_mapsize", result: MDB_CORRUPTED)
        }
        // LMDB lets its map go before it asks for the next one, and without any the next call ends the process: so the
        // system is asked first, while both have to fit.
        let room = unsafe mmap(nil, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        guard let room = unsafe room, unsafe room != MAP_FAILED else {
            throw LMDBError(call: "mmap", result: ENOMEM)
        }
        unsafe munmap(room, bytes)
        try unsafe LMDBError.check(mdb_env_set_mapsize(handle, 0), "mdb_env_set_mapsize")
    }
}
