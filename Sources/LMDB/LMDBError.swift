internal import CLMDB
internal import Glibc

/// A call to LMDB that failed: which one, and LMDB's or the system's code.
@usableFromInline
package struct LMDBError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What callers tell apart; see the table of codes in LMDB's own header.
    package enum Code: Sendable, Hashable {
        case keyExists
        case mapFull
        case transactionFull
        case readersFull
        case panic
        case mapResized
        case damaged
        case versionMismatch
        case badValueSize
        case badTransaction
        case badReaderSlot
        case noSpace
        case inputOutput
        case outOfMemory
        case noDescriptors
        case permission
        case missing
        case busy
        case other
    }

    /// The C function that failed.
    package let call: String

    /// What it returned: negative for LMDB's own codes, an `errno` value otherwise.
    package let result: Int32

    package init(call: String, result: Int32) {
        self.call = call
        self.result = result
    }

    /// What a call would report if it was made in an environment that is known to be damaged.
    package static func damaged(call: String) -> LMDBError {
        LMDBError(call: call, result: MDB_CORRUPTED)
    }

    /// The kind of failure.
    package var code: Code {
        switch result {
        case MDB_KEYEXIST: .keyExists
        case MDB_MAP_FULL: .mapFull
        case MDB_TXN_FULL: .transactionFull
        case MDB_READERS_FULL: .readersFull
        case MDB_PANIC: .panic
        case MDB_MAP_RESIZED: .mapResized
        case MDB_CORRUPTED, MDB_PAGE_NOTFOUND, MDB_INVALID, MDB_CURSOR_FULL, MDB_INCOMPATIBLE, MDB_PAGE_FULL,
            MDB_BAD_DBI, -30779 /* MDB_PROBLEM, new in 0.9.31 */:
            .damaged
        case MDB_VERSION_MISMATCH: .versionMismatch
        case MDB_BAD_VALSIZE: .badValueSize
        case MDB_BAD_TXN: .badTransaction
        case MDB_BAD_RSLOT: .badReaderSlot
        case ENOSPC, EDQUOT, EFBIG: .noSpace
        case EMFILE, ENFILE: .noDescriptors
        case EIO: .inputOutput
        case ENOMEM: .outOfMemory
        case EACCES, EPERM, EROFS: .permission
        case ENOENT, ENOTDIR: .missing
        case EAGAIN, EBUSY: .busy
        default: .other
        }
    }

    /// Whether room on the disk, in the map or in the transaction ran out.
    ///
    /// A short write is reported as an input/output error, so that code belongs here too.
    package var isAboutRoom: Bool {
        switch code {
        case .mapFull, .transactionFull, .noSpace, .inputOutput, .outOfMemory: true
        default: false
        }
    }

    /// Whether the file itself cannot be trusted any more.
    ///
    /// A transaction that LMDB calls bad before anything in it has failed is a sign of that, too.
    package var isDamage: Bool {
        switch code {
        case .damaged, .versionMismatch, .badTransaction: true
        default: false
        }
    }

    @usableFromInline package var description: String {
        // Safety: mdb_strerror returns a constant or strerror's buffer; it is copied before anything else runs.
        let text = unsafe mdb_strerror(result).map { unsafe String(cString: $0) } ?? "unknown"
        return "\(call): \(text) (\(result))"
    }

    @inline(__always)
    static func check(_ result: Int32, _ call: StaticString) throws(LMDBError) {
        guard result == MDB_SUCCESS else { throw LMDBError(call: "\(call)", result: result) }
    }
}
