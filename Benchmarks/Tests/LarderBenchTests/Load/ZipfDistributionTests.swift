import Testing

@testable import LarderBench

struct ZipfDistributionTests {
    @Test("ranks come as often as their weights say")
    func frequencies() {
        let distribution = ZipfDistribution(count: 4, exponent: 1)
        var random = SeededRandom(seed: 4)
        var counts = [0, 0, 0, 0]
        let draws = 100_000
        for _ in 0..<draws { counts[distribution.draw(using: &random)] += 1 }
        // Weights 1, 1/2, 1/3, 1/4 of 25/12; a hundredth is more than six standard deviations.
        for (rank, count) in counts.enumerated() {
            let expected = 12.0 / 25 / Double(rank + 1)
            #expect(abs(Double(count) / Double(draws) - expected) < 0.01, "rank \(rank), seed 4")
        }
    }

    @Test("exponent zero is even, and one rank is the only one")
    func edges() {
        var random = SeededRandom(seed: 5)
        let even = ZipfDistribution(count: 2, exponent: 0)
        let ones = (0..<10_000).count { _ in even.draw(using: &random) == 1 }
        #expect((4_600...5_400).contains(ones), "seed 5")
        let single = ZipfDistribution(count: 1, exponent: 0.99)
        #expect(single.draw(using: &random) == 0)
    }
}
