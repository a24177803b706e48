internal import Foundation

/// The results of a run, in the order in which they were made.
struct Report: Sendable {
    var results: [CaseResult] = []

    func result(of benchmark: String, subject: String, threads: Int) -> CaseResult? {
        results.first { $0.benchmark == benchmark && $0.subject == subject && $0.threads == threads }
    }

    /// The results as a JSON array.
    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return String(decoding: try encoder.encode(results), as: UTF8.self)
    }
}
