internal import LarderStore

/// What the helper is told: `DIRECTORY DURABILITY SEED FIRST COUNT ENDING [LOG | member NUMBER]`.
///
/// As a member it shares the store with others, and carries out the stream of its number.
struct CrashOptions {
    enum Ending: String {
        /// Ends at once, the store still open.
        case abandon

        /// Closes the store.
        case close

        /// Writes and reads something new, clears what was there, and closes.
        case probe
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let directory: String
    let durability: Durability
    let seed: UInt64
    let operations: Range<Int>
    let ending: Ending
    let log: String?
    let member: Int?

    init(_ arguments: [String]) throws(Failure) {
        guard (6...8).contains(arguments.count), let durability = Durability(rawValue: arguments[1]),
            let seed = UInt64(arguments[2]), let first = Int(arguments[3]), let count = Int(arguments[4]), count >= 0,
            let ending = Ending(rawValue: arguments[5])
        else { throw Failure(description: "usage: DIRECTORY DURABILITY SEED FIRST COUNT ENDING [LOG | member NUMBER]") }
        directory = arguments[0]
        self.durability = durability
        self.seed = seed
        operations = first..<(first + count)
        self.ending = ending
        log = arguments.count == 7 ? arguments[6] : nil
        member = arguments.count == 8 ? Int(arguments[7]) : nil
    }
}
