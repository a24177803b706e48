/// What the memory tier refuses, with the reason and the remedy.
public struct MemoryCacheError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of refusal.
    @nonexhaustive
    public enum Code: Sendable, Hashable {
        /// A configuration field has a value that cannot work.
        case invalidConfiguration

        /// The call was made from inside a hook or another call's barrier, where it would wait for itself.
        case calledInsideBarrier
    }

    /// The kind of refusal.
    public let code: Code

    /// What was wrong, with which value, and what to do.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
