internal import CLMDB
internal import Glibc

/// A snapshot kept from being overwritten, and the meta page that leads to it.
///
/// LMDB never writes to a page that a live reader may see, so whatever was committed when this was made stays as it is in
/// the file until it is let go. Every page freed meanwhile is lost for new writes: it must not be held for long.
@safe
package final class PinnedSnapshot: @unchecked Sendable {
    // because: the transaction is only begun and aborted, once each; with NOTLS no thread of its own is bound to that.

    private let environment: Environment
    // Safety: begun in init, aborted in deinit, while `environment` is still held.
    private let handle: OpaquePointer

    /// The number of the newest transaction when it was made.
    package let transaction: UInt64

    /// The meta page of that transaction, as it is in the file.
    package let metaPage: MetaPage

    /// Pins the newest snapshot.
    ///
    /// Called by the writer thread between transactions, or while other processes commit.
    package init(_ environment: Environment) throws(LMDBError) {
        let handle = try unsafe environment.beginReading()
        do throws(LMDBError) {
            (transaction, metaPage) = try unsafe Self.newest(handle, environment)
        } catch {
            unsafe mdb_txn_abort(handle)
            throw error
        }
        unsafe self.handle = handle
        self.environment = environment
    }

    /// Renews the read until the meta page of its snapshot has been read as a whole.
    ///
    /// The next commit but one writes to that page, and cannot have begun if the snapshot is still the newest afterwards.
    private static func newest(
        _ handle: OpaquePointer,
        _ environment: Environment
    ) throws(LMDBError) -> (transaction: UInt64, page: MetaPage) {
        // Each takes microseconds, and a commit much longer.
        for _ in 0..<1_000 {
            let number = unsafe UInt64(mdb_txn_id(handle))
            let page = environment.metaPage(of: number)
            unsafe mdb_txn_reset(handle)
            try unsafe LMDBError.check(mdb_txn_renew(handle), "mdb_txn_renew")
            if let page, unsafe UInt64(mdb_txn_id(handle)) == number { return (number, page) }
        }
        throw LMDBError(call: "pread", result: MDB_CORRUPTED)
    }

    deinit {
        unsafe mdb_txn_abort(handle)
    }
}

extension Environment {
    /// `nil` if the page is another transaction's.
    func metaPage(of transaction: UInt64) -> MetaPage? {
        let page = MetaPage(descriptor: descriptor, number: Int(transaction & 1))
        return page?.transaction == transaction ? page : nil
    }
}
