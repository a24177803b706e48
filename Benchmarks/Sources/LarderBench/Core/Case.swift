/// One question put to every subject: what to do, and on how many threads.
struct Case: Sendable {
    let name: String
    let threads: Int
    let subjects: [Subject]

    /// The case with only those subjects in whose `case/subject/threads` the text stands; `nil` when there are none.
    func narrowed(to text: String) -> Case? {
        let subjects = subjects.filter { "\(name)/\($0.name)/\(threads)".contains(text) }
        return subjects.isEmpty ? nil : Case(name: name, threads: threads, subjects: subjects)
    }
}

/// One of the things that are compared.
struct Subject: Sendable {
    let name: String

    /// Builds and fills what is measured.
    ///
    /// Called once a case, before its first round.
    let prepare: @Sendable () throws -> Trial
}
