/// A subject made ready for one case.
struct Trial: Sendable {
    /// What one thread does, in order: the thread's number, and the numbers of its operations.
    ///
    /// A closure and not a method of a protocol, because a closure made where the subject's type is known is compiled for
    /// that type, while a witness of a generic type is not; each call runs a whole round. An error ends the run.
    typealias Work = @Sendable (_ thread: Int, _ operations: Range<Int>) throws -> Tally

    /// Which hits the case is to give.
    enum Hits: Sendable {
        /// Every operation hits; anything else is a broken subject.
        case all

        /// Hits are part of the result.
        case measured

        /// The case reads nothing.
        case none
    }

    /// How much a round is.
    enum Round: Sendable {
        /// As many operations as fill the time of a round, after a warm-up.
        case timed

        /// So many operations of each thread, and no warm-up: for a stream of a given length, or a single long action.
        case operations(Int)
    }

    let hits: Hits
    var round = Round.timed

    /// What has to be done before each round, off the clock.
    var prepareRound: (@Sendable () throws -> Void)?

    /// Measures the files once the rounds are through.
    var space: (@Sendable () throws -> Space)?

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

/// What a subject keeps on the disk, and for how much.
struct Space: Sendable, Hashable {
    /// The sizes of its files.
    let fileBytes: Int

    /// The sizes of the keys and values it was given.
    let payloadBytes: Int
}
