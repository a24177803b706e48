internal import LMDB

/// What the store refuses or could not do, with the reason and the remedy.
public struct StoreError: Error, Sendable, CustomStringConvertible {
    /// The kinds of failure.
    @nonexhaustive
    public enum Code: Sendable, Hashable {
        /// A configuration field has a value that cannot work.
        case invalidConfiguration

        /// The store is open in this process already, with another configuration.
        case configurationMismatch

        /// The path cannot hold a store: a file, a symbolic link, not ours, not writable, or on a network.
        case unusableDirectory

        /// Another process has the store open, or this one where it is wanted alone, or what was asked for cannot be done while
        /// others may have.
        case inUse

        /// There is no store in the directory.
        case notFound

        /// The store is damaged or of another format; reported by calls that do not set it aside.
        case damaged

        /// The table exists with another type of key, or its name cannot be used.
        case invalidTable

        /// The store is closed, closing, or belongs to the process this one was forked from.
        case closed

        /// Closing or waiting took longer than the configured deadline.
        case timedOut

        /// The value and its key are larger than the configuration allows.
        case valueTooLarge

        /// The value could not be encoded.
        case encodingFailed

        /// There was no room: the disk, the quota or the address space is used up.
        case noSpace

        /// The call would wait for the very thread it runs on.
        case calledFromErrorHandler

        /// The system or the storage engine failed in another way.
        case storageFailed
    }

    /// The kind of failure.
    public let code: Code

    /// What was wrong, with which value, and what to do.
    public let message: String

    /// The error underneath, if there was one.
    public let cause: (any Error)?

    package init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The message.
    public var description: String { message }
}

extension StoreError {
    static func closed(_ path: String) -> StoreError {
        StoreError(.closed, "The store at \(path) is closed: open it again to use it")
    }

    static func wrongKeys(of table: String, _ present: String, _ asked: String) -> StoreError {
        StoreError(
            .invalidTable,
            "The table \"\(table)\" has keys of kind \(present), not \(asked): use another name"
        )
    }

    static func notFound(_ path: String) -> StoreError {
        StoreError(.notFound, "There is no store at \(path): give the directory of one, or create it first")
    }

    /// A failed call of the engine, in terms of what it means for the store at `path`.
    static func engine(_ error: LMDBError, path: String, doing action: String) -> StoreError {
        switch error.code {
        case .mapFull, .transactionFull, .noSpace:
            StoreError(
                .noSpace,
                "No room for \(action) in the store at \(path) (\(error)): free disk space or lower the budget",
                cause: error
            )
        case .outOfMemory:
            StoreError(
                .noSpace,
                "No memory for \(action) in the store at \(path) (\(error)): allow the process more, address space included, "
                    + "or lower the budget",
                cause: error
            )
        case .noDescriptors:
            StoreError(
                .storageFailed,
                "No file could be opened for \(action) in the store at \(path) (\(error)): allow the process more open files",
                cause: error
            )
        case .damaged, .versionMismatch, .badTransaction:
            StoreError(
                .damaged,
                "The store at \(path) is damaged, which showed in \(action) (\(error)): look for a failing disk; a service "
                    + "that opens it starts afresh",
                cause: error
            )
        case .inputOutput:
            StoreError(
                .storageFailed,
                "\(action) failed in the store at \(path) (\(error)): see whether the disk is full or failing; reads go on",
                cause: error
            )
        case .permission, .missing:
            StoreError(
                .unusableDirectory,
                "\(action) failed in the store at \(path) (\(error)): the directory must be there and writable",
                cause: error
            )
        case .busy:
            StoreError(
                .inUse,
                "\(action) failed in the store at \(path) (\(error)): another process, perhaps in another container, uses it",
                cause: error
            )
        default:
            StoreError(
                .storageFailed,
                "\(action) failed in the store at \(path) (\(error)): reads go on; look for a failing disk if it recurs",
                cause: error
            )
        }
    }
}
