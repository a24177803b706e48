import Testing

@testable import LarderTool

struct HistogramTests {
    @Test func `each number falls into the range it lies in`() {
        var histogram = Histogram(lowerEnds: [0, 10, 100])
        for value in [-1, 0, 9, 10, 99, 100, .max] { histogram.add(value) }
        #expect(histogram.counts == [3, 2, 2])
        #expect(histogram.occupied == 0..<3)
    }

    @Test func `only the ranges from the first to the last with something are drawn`() {
        var histogram = Histogram(lowerEnds: [0, 10, 100, 1_000, 10_000])
        #expect(histogram.occupied.isEmpty)
        #expect(histogram.lines { lower, _ in "\(lower)" }.isEmpty)
        for _ in 0..<1_000 { histogram.add(50) }
        histogram.add(5_000)
        let lines = histogram.lines(width: 8) { lower, upper in "\(lower)-\(upper ?? -1)" }
        #expect(lines.count == 3)
        #expect(lines[0].hasPrefix("    10-100  ████████") && lines[0].contains("1,000"))
        #expect(lines[1].hasPrefix("  100-1000          ") && lines[1].contains("0.00 %"))
        // However few they are, they show.
        #expect(lines[2].hasPrefix("1000-10000  ▏") && lines[2].contains("0.10 %"))
    }

    @Test func `the ranges of sizes and ages ascend from zero`() {
        for ends in [Histogram.sizes.lowerEnds, Histogram.ages.lowerEnds] {
            #expect(ends.first == 0)
            #expect(zip(ends, ends.dropFirst()).allSatisfy(<))
        }
        #expect(Histogram.sizes.lowerEnds[1] == 64)
    }
}
