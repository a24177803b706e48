import Glibc
import Testing

@testable import LarderTool

struct WorkloadTests {
    @Test func `the generator gives its published numbers`() {
        // From the reference implementation, seed 1234567.
        var random = SplitMix64(seed: 1_234_567)
        #expect(
            (0..<3).map { _ in random.next() } == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
            ]
        )
    }

    @Test func `mixing never joins two numbers`() {
        #expect(Set((0..<100_000).map { SplitMix64.mix(UInt64($0)) }).count == 100_000)
    }

    @Test(arguments: [0.5, 0.9, 1.0, 1.3])
    func `ranks come as often as Zipf's law says`(exponent: Double) {
        let count = 50
        let draws = 200_000
        let sampler = ZipfSampler(count: count, exponent: exponent)
        var random = SplitMix64(seed: 3)
        var seen = [Int](repeating: 0, count: count + 1)
        for _ in 0..<draws { seen[sampler.next(using: &random)] += 1 }
        #expect(seen[0] == 0)
        let weights = (1...count).map { pow(Double($0), -exponent) }
        let sum = weights.reduce(0, +)
        for rank in 1...count {
            let expected = weights[rank - 1] / sum * Double(draws)
            // Five standard deviations of a binomial: with this seed the outcome is fixed in any case.
            #expect((Double(seen[rank]) - expected).magnitude < 5 * expected.squareRoot(), "rank \(rank)")
        }
    }

    @Test func `one rank is drawn always`() {
        var random = SplitMix64(seed: 1)
        let sampler = ZipfSampler(count: 1, exponent: 1)
        #expect((0..<100).allSatisfy { _ in sampler.next(using: &random) == 1 })
    }

    @Test func `the same seed gives the same requests, another seed others`() throws {
        let first = try Fixture.all(SyntheticWorkload(seed: 7, requests: 5_000))
        #expect(try Fixture.all(SyntheticWorkload(seed: 7, requests: 5_000), batchSize: 1024) == first)
        #expect(try Fixture.all(SyntheticWorkload(seed: 8, requests: 5_000)) != first)
        #expect(first.count == 5_000)
    }

    @Test func `a key keeps its size, and scans bring keys that are asked for once`() throws {
        let requests = try Fixture.all(SyntheticWorkload(seed: 7, requests: 100_000), batchSize: 1024)
        var sizes: [Int64: Int] = [:]
        for request in requests {
            let size = try #require(request.size)
            #expect((256..<(33 << 10)).contains(size))
            #expect(sizes.updateValue(size, forKey: request.key) ?? size == size)
        }
        let scan = requests[45_000..<50_000]
        #expect(Set(scan.map(\.key)).count == 5_000)
        #expect(Set(scan.map(\.key)).isDisjoint(with: requests[..<45_000].map(\.key)))
    }

    @Test func `a recorded workload starts over with each copy`() throws {
        let recorded = try RecordedRequests(SyntheticWorkload(seed: 7, requests: 3_000))
        #expect(recorded.count == 3_000)
        #expect(try RecordedRequests(recorded, limit: 1_500).count == 1_500)
        #expect(try Fixture.all(recorded) == Fixture.all(recorded))
        #expect(try Fixture.all(recorded) == Fixture.all(SyntheticWorkload(seed: 7, requests: 3_000)))
    }
}
