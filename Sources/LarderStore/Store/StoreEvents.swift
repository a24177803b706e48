/// What a store reports without being asked.
///
/// The closures run on the store's own thread, on the thread that opens it or, where that is said, on the thread of a
/// read, outside every lock and transaction. They may read and write the store; they must not flush or close it, which
/// would wait for the thread they run on.
public struct StoreEvents: Sendable {
    /// A write that could not be committed: the error and the bytes of its key.
    ///
    /// What was stored under the key is removed, or at least no longer visible: hidden, until its removal can be committed.
    /// That holds for the openings after a killed process as well, as long as the file STATE can be overwritten, which takes
    /// no room where files are overwritten in place; with more than 100 records hidden, or a table whose removal of
    /// everything could not be committed, a store that was killed starts empty.
    public var onWriteError: (@Sendable (StoreError, _ key: [UInt8]) -> Void)?

    /// The store did not find at open what it had left, or had to give its file up since, and is empty; or a table was
    /// emptied because the queue overflowed, as `QueueOverflow.drop` says.
    public var onRecovery: (@Sendable (StoreRecovery) -> Void)?

    /// Other processes have committed since this one last looked; only with `StoreConfiguration.multiProcess`.
    ///
    /// Called once for all of their commits that were noticed together: on the thread of the read that noticed them, before
    /// that returns, or on the store's own, which looks before each commit and, if this handler is set, ten times a second.
    /// So it comes soon to a process that does nothing, too. Never called for commits of this process. What was read before
    /// may be stale.
    public var onExternalChange: (@Sendable (StoreExternalChange) -> Void)?

    /// A read has gone on for longer than `slowReadAge`: once for each, with its age.
    public var onSlowRead: (@Sendable (Duration) -> Void)?

    /// Creates the handlers; those left out are not called.
    public init(
        onWriteError: (@Sendable (StoreError, _ key: [UInt8]) -> Void)? = nil,
        onRecovery: (@Sendable (StoreRecovery) -> Void)? = nil,
        onExternalChange: (@Sendable (StoreExternalChange) -> Void)? = nil,
        onSlowRead: (@Sendable (Duration) -> Void)? = nil
    ) {
        self.onWriteError = onWriteError
        self.onRecovery = onRecovery
        self.onExternalChange = onExternalChange
        self.onSlowRead = onSlowRead
    }
}

/// Commits of other processes that were noticed together.
public struct StoreExternalChange: Sendable, Hashable {
    /// The number of the newest commit that is taken into account from now on; each commit has the next one.
    public let snapshot: UInt64
}

/// Why a store starts empty although there was something at its path, or it or a table begins anew while it is open.
public struct StoreRecovery: Sendable, Hashable, CustomStringConvertible {
    /// The kinds of reason.
    @nonexhaustive
    public enum Reason: Sendable, Hashable {
        /// The data file is damaged, truncated, or no store's.
        case damaged

        /// The data was written in a format of another version.
        case otherVersion

        /// The system went down while the store was open without syncing.
        case unsyncedAfterSystemCrash

        /// More removals waited for the disk than a queue that drops has room for: a table was emptied instead.
        case queueOverflowed
    }

    /// The kind of reason.
    public let reason: Reason

    /// What was found, in words.
    public let detail: String

    /// Where the old files are now; `nil` if they had to be deleted.
    ///
    /// At most one such directory is kept: that of an earlier recovery was removed.
    public let quarantine: String?

    /// The detail, and where the old files are.
    public var description: String {
        detail + (quarantine.map { "; set aside in \($0)" } ?? "; deleted")
    }
}

/// Points at which tests make the store fail.
package struct StoreFaults: Sendable {
    /// Called in each write transaction before its commit, with the number of operations in it.
    package var beforeCommit: (@Sendable (_ keys: [[UInt8]]) -> LMDBFault?)?

    /// Called on the writer's thread after each commit, before anything in memory speaks of it.
    package var afterCommit: (@Sendable () -> Void)?

    /// Called before each sync of a checkpoint.
    package var beforeCheckpoint: (@Sendable () -> LMDBFault?)?

    /// The clock in nanoseconds by which the age of reads is told.
    package var monotonicNanoseconds: (@Sendable () -> UInt64)?

    /// The size of the map, in place of the one that follows from the budget.
    package var mapBytes: Int?

    /// The pages of trees up to which a file is checked at each opening, in place of the usual number.
    package var alwaysCheckedPages: Int?

    /// Whether the pages of a larger file are looked at once it is open.
    package var checksInBackground = true

    /// Creates the hooks.
    package init(
        beforeCommit: (@Sendable (_ keys: [[UInt8]]) -> LMDBFault?)? = nil,
        afterCommit: (@Sendable () -> Void)? = nil,
        beforeCheckpoint: (@Sendable () -> LMDBFault?)? = nil,
        monotonicNanoseconds: (@Sendable () -> UInt64)? = nil,
        mapBytes: Int? = nil,
        alwaysCheckedPages: Int? = nil,
        checksInBackground: Bool = true
    ) {
        self.beforeCommit = beforeCommit
        self.afterCommit = afterCommit
        self.beforeCheckpoint = beforeCheckpoint
        self.monotonicNanoseconds = monotonicNanoseconds
        self.mapBytes = mapBytes
        self.alwaysCheckedPages = alwaysCheckedPages
        self.checksInBackground = checksInBackground
    }
}

/// A failure a test injects: what LMDB would have returned.
package struct LMDBFault: Sendable {
    package let result: Int32

    package init(result: Int32) {
        self.result = result
    }
}
