/// How long things took, in fixed memory: 32 buckets for each power of two, so that a quantile is at most 1/32 too high.
///
/// Recording is a shift and an addition; up to 63 nanoseconds each value has its own bucket.
struct LatencyHistogram {
    private static let precisionBits = 5
    private static let perPower = 1 << precisionBits

    private var buckets = [UInt64](repeating: 0, count: (65 - Self.precisionBits) * Self.perPower)

    private(set) var count: UInt64 = 0
    private(set) var maximum: UInt64 = 0

    mutating func record(_ nanoseconds: UInt64) {
        buckets[Self.bucket(of: nanoseconds)] += 1
        count += 1
        maximum = max(maximum, nanoseconds)
    }

    /// The value that the given share of all values, above 0 and at most 1, does not exceed; `nil` when there are none.
    ///
    /// - Complexity: O(number of buckets), which is fixed.
    func quantile(_ fraction: Double) -> UInt64? {
        guard count > 0 else { return nil }
        let rank = min(max(UInt64((fraction * Double(count)).rounded(.up)), 1), count)
        var seen: UInt64 = 0
        for index in buckets.indices {
            seen += buckets[index]
            if seen >= rank { return min(Self.upperEdge(of: index), maximum) }
        }
        return maximum
    }

    /// The first two powers' worth of buckets are one wide; from there each power of two is cut into equal parts.
    private static func bucket(of value: UInt64) -> Int {
        let power = 63 - (value | 1).leadingZeroBitCount
        guard power > precisionBits else { return Int(value) }
        let shift = power - precisionBits
        return shift * perPower + Int(value >> UInt64(shift))
    }

    private static func upperEdge(of bucket: Int) -> UInt64 {
        guard bucket >= 2 * perPower else { return UInt64(bucket) }
        let shift = bucket / perPower - 1
        let mantissa = UInt64(bucket - shift * perPower)
        return ((mantissa + 1) << UInt64(shift)) &- 1
    }
}
