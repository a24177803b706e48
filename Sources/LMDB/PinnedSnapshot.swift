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
    /// Only the writer thread calls this, between transactions: a commit in between would leave another meta page.
    package init(_ environment: Environment) throws(LMDBError) {
        let handle = try unsafe environment.beginReading()
        let transaction = unsafe UInt64(mdb_txn_id(handle))
        do throws(LMDBError) {
            metaPage = try environment.metaPage(of: transaction)
        } catch {
            unsafe mdb_txn_abort(handle)
            throw error
        }
        unsafe self.handle = handle
        self.transaction = transaction
        self.environment = environment
    }

    deinit {
        unsafe mdb_txn_abort(handle)
    }
}

extension Environment {
    fileprivate func metaPage(of transaction: UInt64) throws(LMDBError) -> MetaPage {
        var descriptor: Int32 = -1
        try unsafe LMDBError.check(mdb_env_get_fd(handle, &descriptor), "mdb_env_get_fd")
        let page = MetaPage(descriptor: descriptor, number: Int(transaction & 1))
        guard let page, page.transaction == transaction else { throw LMDBError(call: "pread", result: MDB_CORRUPTED) }
        return page
    }
}
