import Testing

@testable import LarderTool

struct LatencyHistogramTests {
    @Test func `nothing recorded has no quantiles`() {
        #expect(LatencyHistogram().quantile(0.5) == nil)
    }

    @Test func `small values are exact`() {
        for value: UInt64 in 0..<64 {
            var histogram = LatencyHistogram()
            histogram.record(value)
            histogram.record(1_000_000)
            #expect(histogram.quantile(0.5) == value)
        }
    }

    @Test func `a value anywhere in the range is told at most 1/32 too high, never too low`() throws {
        var random = SplitMix64(seed: 5)
        let edges = (0..<64).flatMap { [UInt64(1) << $0, (UInt64(1) << $0) &- 1, (UInt64(1) << $0) | 1] }
        let values = edges + (0..<10_000).map { _ in random.next() >> UInt64.random(in: 0..<64, using: &random) }
        for value in values + [.max] {
            var histogram = LatencyHistogram()
            histogram.record(value)
            // A larger one, so that the maximum does not hide the bucket's edge.
            histogram.record(.max)
            let told = try #require(histogram.quantile(0.5))
            #expect(told >= value && told - value <= value / 32, "\(value)")
        }
    }

    @Test func `quantiles are those of the sorted values`() throws {
        var random = SplitMix64(seed: 9)
        var histogram = LatencyHistogram()
        var values: [UInt64] = []
        for _ in 0..<20_000 {
            let value = random.next() >> UInt64.random(in: 34..<60, using: &random)
            values.append(value)
            histogram.record(value)
        }
        values.sort()
        for fraction in [0.001, 0.25, 0.5, 0.99, 0.999, 1] {
            let exact = values[Int((fraction * 20_000).rounded(.up)) - 1]
            let told = try #require(histogram.quantile(fraction))
            #expect(told >= exact && told - exact <= exact / 32, "\(fraction)")
        }
        #expect(histogram.quantile(1) == values.last)
        #expect(histogram.count == 20_000 && histogram.maximum == values.last)
    }
}
