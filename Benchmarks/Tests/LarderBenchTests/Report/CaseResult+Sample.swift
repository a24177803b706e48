@testable import LarderBench

extension CaseResult {
    static func sample(
        _ benchmark: String,
        _ subject: String,
        threads: Int = 1,
        times: [Double],
        allocations: Double = 0,
        hitRatio: Double? = nil,
        fileBytes: Int? = nil,
        payloadBytes: Int? = nil
    ) -> CaseResult {
        CaseResult(
            benchmark: benchmark,
            subject: subject,
            threads: threads,
            nanoseconds: Spread(of: times),
            allocations: allocations,
            hitRatio: hitRatio,
            fileBytes: fileBytes,
            payloadBytes: payloadBytes
        )
    }
}
