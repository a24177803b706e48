/// A subject made ready for one case.
struct Trial: Sendable {
    /// What one thread does, in order: the thread's number, and the numbers of its operations.
    ///
    /// A closure and not a method of a protocol, because a closure made where the subject's type is known is compiled for
    /// that type, while a witness of a generic type is not; each call runs a whole round.
    typealias Work = @Sendable (_ thread: Int, _ operations: Range<Int>) -> Tally

    /// Which hits the case is to give.
    enum Hits: Sendable {
        /// Every operation hits; anything else is a broken subject.
        case all

        /// Hits are part of the result.
        case measured

        /// The case reads nothing.
        case none
    }

    let hits: Hits
    let work: Work
}

/// What one thread's work came to.
struct Tally: Sendable, Hashable {
    var hits = 0

    /// Something made from every value that was read, so that no read can be left out by the optimiser.
    var sink = 0

    static func += (left: inout Tally, right: Tally) {
        left.hits += right.hits
        left.sink &+= right.sink
    }
}
