import TestSupport
import Testing

@testable import LarderTool

struct ReplayPassTests {
    private func pass(
        _ requests: [TraceRequest],
        cost: CostRule = .unit,
        length: ReplayValue.Length = .fixed(16),
        limit: Int? = nil
    ) -> ReplayPass {
        var pass = ReplayPass(RecordedRequests(name: "t", requests), cost: cost, length: length, limit: limit)
        pass.isInterrupted = { false }
        return pass
    }

    @Test func `a miss is stored, and found the next time`() throws {
        var pass = pass([1, 2, 1, 1].map { Fixture.request($0) })
        let tally = try FakeCache(capacity: 10).serve(&pass)
        #expect(tally.requests == 4 && tally.misses == 2 && tally.memoryHits == 2 && tally.diskHits == 0)
        #expect(tally.hitRatio == 0.5 && tally.wrongValues == 0)
        #expect(tally.missLatency.count == 2 && tally.storeLatency.count == 2 && tally.memoryHitLatency.count == 2)
    }

    @Test func `missed bytes are the recorded ones, or the stored ones where none are recorded`() throws {
        var sized = pass([Fixture.request(1, 5_000), Fixture.request(1, 5_000), Fixture.request(2, 7)])
        #expect(try FakeCache(capacity: 10).serve(&sized).missBytes == 5_007)
        var unsized = pass([1, 2, 2].map { Fixture.request($0) })
        #expect(try FakeCache(capacity: 10).serve(&unsized).missBytes == 32)
        var huge = pass([Fixture.request(1, .max), Fixture.request(2, .max)])
        #expect(try FakeCache(capacity: 10).serve(&huge).missBytes == .max)
    }

    @Test func `the cost is one or the recorded size`() throws {
        let requests = [Fixture.request(1, 100), Fixture.request(2, 50)]
        let unit = FakeCache(capacity: 1_000)
        var pass = pass(requests)
        _ = try unit.serve(&pass)
        #expect(unit.counts().memoryCost == 2)
        let size = FakeCache(capacity: 1_000)
        pass = self.pass(requests, cost: .size)
        _ = try size.serve(&pass)
        #expect(size.counts().memoryCost == 150)
    }

    @Test func `a cost by size without a size is refused with the key`() {
        var pass = pass([Fixture.request(5)], cost: .size)
        let error = toolError { _ = try FakeCache(capacity: 1).serve(&pass) }
        #expect(error == .failure("--cost size needs sizes, but 't' records none for request 1; use --cost unit"))
    }

    @Test func `an object larger than the capacity is a miss each time`() throws {
        var pass = pass([Fixture.request(1, 11), Fixture.request(1, 11)], cost: .size)
        #expect(try FakeCache(capacity: 10).serve(&pass).misses == 2)
    }

    @Test func `hits on disk are counted apart and promoted`() throws {
        let disk = FakeDisk()
        let requests = [1, 2, 1, 2, 2].map { Fixture.request($0) }
        var first = pass(requests)
        let cold = try FakeCache(capacity: 1, disk: disk).serve(&first)
        #expect(cold.misses == 2 && cold.diskHits == 2 && cold.memoryHits == 1)
        var second = pass(requests)
        let warm = try FakeCache(capacity: 10, disk: disk).serve(&second)
        #expect(warm.misses == 0 && warm.diskHits == 2 && warm.memoryHits == 3)
        #expect(warm.diskHitLatency.count == 2)
    }

    @Test func `a wrong value is counted with the first key that had one`() throws {
        let cache = FakeCache(capacity: 10)
        cache.wrongKey = 2
        var pass = pass([1, 2, 2, 1, 2].map { Fixture.request($0) })
        let tally = try cache.serve(&pass)
        #expect(tally.wrongValues == 2 && tally.firstWrongKey == 2 && tally.hits == 3)
    }

    @Test(arguments: [1, 1_000, 1_024, 1_025, 3_000])
    func `a limit is kept to the request`(limit: Int) throws {
        var pass = pass((0..<3_000).map { Fixture.request($0) }, limit: limit)
        #expect(try FakeCache(capacity: 10).serve(&pass).requests == limit)
    }

    @Test func `an interruption ends the pass after a batch`() throws {
        var pass = pass((0..<10_000).map { Fixture.request($0) })
        pass.isInterrupted = { true }
        let tally = try FakeCache(capacity: 10).serve(&pass)
        #expect(tally.wasInterrupted && tally.requests == ReplayPass.batchSize)
    }

    @Test func `latencies and speed come from the clock`() throws {
        var now: UInt64 = 0
        var pass = pass([1, 1, 1, 1].map { Fixture.request($0) })
        pass.clock = {
            now += 10
            return now
        }
        let tally = try FakeCache(capacity: 10).serve(&pass)
        #expect(tally.missLatency.quantile(1) == 10 && tally.memoryHitLatency.quantile(1) == 10)
        #expect(tally.storeLatency.quantile(1) == 10)
        #expect(tally.nanoseconds == now - 10)
        #expect(tally.operationsPerSecond == 4 / (Double(now - 10) / 1e9))
    }

    @Test func `progress nears one, by the limit where there is one`() throws {
        let requests = (0..<4_096).map { Fixture.request($0) }
        var seen: [Double?] = []
        var whole = pass(requests)
        whole.onProgress = { seen.append($1) }
        _ = try FakeCache(capacity: 10).serve(&whole)
        #expect(seen == [0.25, 0.5, 0.75, 1])
        seen = []
        var limited = pass(requests, limit: 2_048)
        limited.onProgress = { seen.append($1) }
        _ = try FakeCache(capacity: 10).serve(&limited)
        #expect(seen == [0.5, 1])
    }

    @Test func `a failure to settle is the pass's`() {
        let cache = FakeCache(capacity: 10)
        cache.failsToSettle = true
        var pass = pass([Fixture.request(1)])
        #expect(toolError { _ = try cache.serve(&pass) } == .failure("the fake disk is full"))
    }

    @Test(
        .enabled(if: SharedTraces.areThere, Comment(rawValue: SharedTraces.absence)),
        arguments: [(128, 93_374, 4_214_303_232), (1_024, 71_704, 3_061_662_720)]
    )
    func `an exact LRU gives the published misses by size`(mebibytes: Int, misses: Int, bytes: Int) throws {
        let source = try TraceReader.open(SharedTraces.path("cloudphysics.oracle"), format: nil)
        var pass = ReplayPass(source, cost: .size, length: .fixed(1))
        let tally = try FakeCache(capacity: mebibytes << 20).serve(&pass)
        #expect(tally.misses == misses && tally.missBytes == bytes)
    }

    @Test(
        .enabled(if: SharedTraces.areThere, Comment(rawValue: SharedTraces.absence)),
        arguments: [
            ("corda.i64be", 512, 90_468), ("2_pools.lirs", 100, 78_054), ("ps.lirs", 1_000, 5_376),
            ("sprite.lirs", 500, 29_074), ("web07.i32be", 1_000, 37_750),
        ]
    )
    func `an exact LRU gives the published misses by count`(trace: String, capacity: Int, misses: Int) throws {
        var pass = ReplayPass(
            try TraceReader.open(SharedTraces.path(trace), format: nil),
            cost: .unit,
            length: .fixed(1)
        )
        #expect(try FakeCache(capacity: capacity).serve(&pass).misses == misses)
    }
}
