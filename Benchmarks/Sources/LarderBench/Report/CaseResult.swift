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

    /// The sizes of the subject's files and of the keys and values in them; only in cases that are about files.
    let fileBytes: Int?
    let payloadBytes: Int?

    private enum CodingKeys: String, CodingKey {
        case benchmark = "case"
        case subject
        case threads
        case nanoseconds
        case allocations
        case hitRatio
        case fileBytes
        case payloadBytes
    }

    /// The bytes of file for each byte of payload.
    var amplification: Double? {
        guard let fileBytes, let payloadBytes else { return nil }
        return Double(fileBytes) / Double(payloadBytes)
    }
}
