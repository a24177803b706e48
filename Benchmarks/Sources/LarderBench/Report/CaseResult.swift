/// What one subject came to in one case.
struct CaseResult: Codable, Hashable, Sendable {
    let benchmark: String
    let subject: String
    let threads: Int

    /// For each operation, over all threads: the time on the wall divided by the operations of all threads together.
    let nanoseconds: Spread

    /// For each operation.
    let allocations: Double

    /// The share of the operations that found their key; only in cases where that is part of the result.
    let hitRatio: Double?

    private enum CodingKeys: String, CodingKey {
        case benchmark = "case"
        case subject
        case threads
        case nanoseconds
        case allocations
        case hitRatio
    }
}
