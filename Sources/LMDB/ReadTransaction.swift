internal import CLMDB

/// A snapshot being read: lent by a `Reader`, which resets it afterwards.
@safe
@usableFromInline
package struct ReadTransaction: ~Copyable, Transaction {
    // Safety: active from `Reader.begin()` until this value dies; the reader outlives it because it is held here.
    private let reader: Reader

    fileprivate init(_ reader: Reader) {
        self.reader = reader
    }

    deinit {
        reader.reset()
    }

    @usableFromInline
    package var raw: TransactionHandle { reader.raw }

    var environment: Environment { reader.environment }
}

extension Environment {
    /// Begins a read transaction in a slot of its own; whoever asked for it has to abort it.
    func beginReading() throws(LMDBError) -> OpaquePointer {
        var begun: OpaquePointer?
        try unsafe LMDBError.check(mdb_txn_begin(handle, nil, UInt32(MDB_RDONLY), &begun), "mdb_txn_begin")
        guard let begun = unsafe begun else { throw LMDBError(call: "mdb_txn_begin", result: MDB_BAD_TXN) }
        return unsafe begun
    }
}

/// A reusable reader slot: begun once, then renewed for each read and reset after it.
///
/// Renewing costs a twentieth of beginning anew and takes no lock. One read at a time: the owner hands a reader to one
/// thread at once. Beginning a second read before the first has ended is an error of LMDB, not undefined.
@safe
package final class Reader: @unchecked Sendable {
    // because: a reader is used by one thread at a time, which its owner (the pool) ensures; with NOTLS LMDB ties a
    // read transaction to its object, not to a thread.

    fileprivate let environment: Environment
    // Safety: begun in init, aborted in deinit, while `environment` is still held.
    private let handle: OpaquePointer

    /// Takes a slot of the reader table.
    package init(_ environment: Environment) throws(LMDBError) {
        let handle = try unsafe environment.beginReading()
        unsafe mdb_txn_reset(handle)
        unsafe self.handle = handle
        self.environment = environment
    }

    deinit {
        unsafe mdb_txn_abort(handle)
    }

    /// Begins a read of the newest snapshot; it ends when the returned value dies.
    package func begin() throws(LMDBError) -> ReadTransaction {
        try unsafe LMDBError.check(mdb_txn_renew(handle), "mdb_txn_renew")
        return ReadTransaction(self)
    }

    fileprivate var raw: TransactionHandle { unsafe TransactionHandle(pointer: handle) }

    fileprivate func reset() {
        unsafe mdb_txn_reset(handle)
    }
}
