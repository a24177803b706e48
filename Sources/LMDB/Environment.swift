internal import CLMDB
internal import Glibc

/// An open LMDB environment.
///
/// Opening one directory twice in a process silently breaks both handles, and use after `fork` corrupts: whoever opens
/// an environment keeps a registry and a fork check. Closing (which `deinit` does) needs every transaction ended;
/// readers and transactions keep their environment alive, so that holds by construction.
@safe
package final class Environment: @unchecked Sendable {
    // because: LMDB's environment handle may be used by any thread, and the stored properties never change.

    // Safety: created and opened in init, closed in deinit; it is never handed out.
    let handle: OpaquePointer

    /// Whether LMDB has closed the files; asked for by whoever is to open them again.
    package let closing = EnvironmentClosing()

    /// The address space reserved when it was opened, in bytes.
    package let mapBytes: Int

    /// Opens the environment in `directory`, which must exist.
    ///
    /// Always without thread-local reader slots, never with a writable map, never without locks.
    package init(directory: String, options: EnvironmentOptions) throws(LMDBError) {
        var mapBytes = options.mapBytes
        while true {
            do throws(LMDBError) {
                unsafe self.handle = try Self.open(directory: directory, options: options, mapBytes: mapBytes)
                break
            } catch {
                guard error.code == .outOfMemory, mapBytes / 2 >= options.minimumMapBytes else { throw error }
                mapBytes /= 2
            }
        }
        self.mapBytes = mapBytes
    }

    deinit {
        unsafe mdb_env_close(handle)
        closing.finish()
    }

    private static func open(
        directory: String,
        options: EnvironmentOptions,
        mapBytes: Int
    ) throws(LMDBError) -> OpaquePointer {
        var created: OpaquePointer?
        try unsafe LMDBError.check(mdb_env_create(&created), "mdb_env_create")
        guard let handle = unsafe created else { throw LMDBError(call: "mdb_env_create", result: ENOMEM) }
        do throws(LMDBError) {
            try unsafe LMDBError.check(mdb_env_set_mapsize(handle, mapBytes), "mdb_env_set_mapsize")
            try unsafe LMDBError.check(
                mdb_env_set_maxdbs(handle, UInt32(options.maximumDatabases)),
                "mdb_env_set_maxdbs"
            )
            try unsafe LMDBError.check(
                mdb_env_set_maxreaders(handle, UInt32(options.maximumReaders)),
                "mdb_env_set_maxreaders"
            )
            var flags = UInt32(MDB_NOTLS)
            switch options.synchronization {
            case .full: break
            case .dataOnly: flags |= UInt32(MDB_NOMETASYNC)
            case .none: flags |= UInt32(MDB_NOSYNC)
            }
            try unsafe LMDBError.check(mdb_env_open(handle, directory, flags, 0o600), "mdb_env_open")
            // LMDB leaves the data descriptor open across exec; a child would keep a deleted file's space alive.
            guard unsafe fcntl(descriptor(of: handle), F_SETFD, FD_CLOEXEC) == 0 else {
                throw LMDBError(call: "fcntl", result: errno)
            }
        } catch {
            // A failed open still has to be closed, or the handle and its lock file descriptor leak.
            unsafe mdb_env_close(handle)
            throw error
        }
        return unsafe handle
    }

    /// Runs `body` in a write transaction: committed when it returns, aborted when it throws.
    ///
    /// Begin and commit must happen on one thread, so `body` is synchronous; a second one on the same thread would wait
    /// for itself. Only the one writer thread of a store calls this.
    package func write<R>(_ body: (inout WriteTransaction) throws(LMDBError) -> R) throws(LMDBError) -> R {
        var transaction = try WriteTransaction(self)
        let result = try body(&transaction)
        try transaction.commit()
        return result
    }

    /// Runs `body` in a read transaction of its own, for work that is not on the hot path.
    package func read<R>(_ body: (borrowing ReadTransaction) throws(LMDBError) -> R) throws(LMDBError) -> R {
        let reader = try Reader(self)
        return try body(reader.begin())
    }

    /// Writes everything committed so far to the disk, whatever the flags.
    package func synchronize() throws(LMDBError) {
        try unsafe LMDBError.check(mdb_env_sync(handle, 1), "mdb_env_sync")
    }

    /// Frees the slots of readers whose process has died, and returns how many there were.
    @discardableResult
    package func clearStaleReaders() throws(LMDBError) -> Int {
        var count: Int32 = 0
        try unsafe LMDBError.check(mdb_reader_check(handle, &count), "mdb_reader_check")
        return Int(count)
    }

    /// The file size, the space it takes on the disk, and the newest transaction.
    package var statistics: EnvironmentStatistics {
        var info = unsafe MDB_envinfo()
        unsafe mdb_env_info(handle, &info)
        var status = stat()
        unsafe fstat(descriptor, &status)
        return EnvironmentStatistics(
            inode: UInt64(status.st_ino),
            links: Int(status.st_nlink),
            fileBytes: Int(status.st_size),
            allocatedBytes: Int(status.st_blocks) * 512,
            modifiedNanoseconds: Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec),
            highWaterBytes: unsafe (Int(info.me_last_pgno) + 1) * pageSize,
            lastTransaction: unsafe UInt64(info.me_last_txnid),
            readerSlots: unsafe Int(info.me_numreaders)
        )
    }

    /// The part of both meta pages that means anything, as the file has it; `nil` if it cannot be read.
    package var metaBytes: [UInt8]? { DataFileCheck.metaBytes(descriptor: descriptor) }

    /// The descriptor of the data file, which LMDB opens and closes.
    var descriptor: Int32 { unsafe Self.descriptor(of: handle) }

    private static func descriptor(of handle: OpaquePointer) -> Int32 {
        var descriptor: Int32 = -1
        // Fails for want of an environment only.
        unsafe mdb_env_get_fd(handle, &descriptor)
        return descriptor
    }

    /// The size of LMDB's pages in bytes.
    package var pageSize: Int {
        var statistics = MDB_stat()
        unsafe mdb_env_stat(handle, &statistics)
        return Int(statistics.ms_psize)
    }

    /// The version of the library in use, for example `0.9.24`.
    package static var engineVersion: String {
        var (major, minor, patch): (Int32, Int32, Int32) = (0, 0, 0)
        unsafe mdb_version(&major, &minor, &patch)
        return "\(major).\(minor).\(patch)"
    }
}

/// What the environment and its file report about themselves.
package struct EnvironmentStatistics: Sendable, Hashable {
    package let inode: UInt64
    /// The names the file has; none once it was deleted.
    package let links: Int
    package let fileBytes: Int
    package let allocatedBytes: Int
    package let modifiedNanoseconds: Int64
    package let highWaterBytes: Int
    package let lastTransaction: UInt64
    package let readerSlots: Int
}
