/// Where a handful of measured values lie.
///
/// Minimum and maximum stand beside the median because a cliff under contention shows only there.
struct Spread: Codable, Hashable, Sendable {
    let minimum: Double
    let median: Double
    let maximum: Double

    /// Sums up the values, of which there must be at least one.
    init(of values: [Double]) {
        let sorted = values.sorted()
        let middle = sorted.count / 2
        minimum = sorted[0]
        maximum = sorted[sorted.count - 1]
        median = sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}
