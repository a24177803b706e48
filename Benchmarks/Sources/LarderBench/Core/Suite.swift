/// A family of cases that belong together, with the bars they have to clear.
///
/// A new suite is a folder beside `Memory` with an extension of this type, and its name in `all`.
struct Suite: Sendable {
    /// The word on the command line.
    let name: String
    let summary: String

    /// The name of the subject that the others are compared with.
    let subject: String
    let cases: [Case]
    let bars: [Bar]

    static let all: [Suite] = [.memory, .store]
}
