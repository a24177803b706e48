/// What a tiered cache could not do, with the reason and the remedy.
///
/// Reads never throw it: a failure of a tier is a miss, counted and reported to the error handler.
public struct CacheError: Error, Sendable, CustomStringConvertible {
    /// The kinds of failure.
    @nonexhaustive
    public enum Code: Sendable, Hashable {
        /// A configuration has a field that is unknown, of a wrong type or out of range.
        case invalidConfiguration

        /// A configuration file could not be read.
        case unreadableConfiguration

        /// The disk tier could not be opened; `cause` says why.
        case diskUnavailable

        /// The disk tier found its files damaged or of another format and started empty, and the message says where they are;
        /// or it had to be emptied because it did not keep up.
        case diskStartedEmpty

        /// A value could not be encoded for the disk tier.
        case encodingFailed

        /// A write did not reach the disk tier; the key is a miss there from now on.
        case writeFailed

        /// The cache was closed.
        case closed
    }

    /// The kind of failure.
    public let code: Code

    /// What was wrong, with which value, and what to do.
    public let message: String

    /// The error of the tier or of the closure that failed.
    public let cause: (any Error)?

    @usableFromInline
    init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The message.
    public var description: String { message }
}
