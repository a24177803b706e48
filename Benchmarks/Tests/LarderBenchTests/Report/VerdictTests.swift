import Testing

@testable import LarderBench

struct VerdictTests {
    private let report = Report(results: [
        .sample("get", "larder", times: [1, 11, 50]),
        .sample("get", "peer", times: [10]),
        .sample("evict", "larder", times: [1], allocations: 0.5, hitRatio: 0.75),
        .sample("full", "larder", times: [1], allocations: 2, hitRatio: 1),
    ])

    @Test("a ratio compares medians", arguments: [(1.1, Verdict.Outcome.passed), (1.09, .missed)])
    func ratio(limit: Double, outcome: Verdict.Outcome) {
        let bar = Bar.ratio(Bar.Cell("get", "larder"), to: Bar.Cell("get", "peer"), atMost: limit)
        #expect(Verdict(on: bar, in: report).outcome == outcome)
    }

    @Test("a bar whose cells were not measured is neither passed nor missed")
    func notMeasured() {
        let bar = Bar.ratio(Bar.Cell("get", "larder"), to: Bar.Cell("get", "peer", threads: 2), atMost: 1)
        #expect(Verdict(on: bar, in: report).outcome == .notMeasured)
    }

    @Test("allocations at the limit pass, one in a hundred operations more does not")
    func allocations() {
        let cell = Bar.Cell("evict", "larder")
        #expect(Verdict(on: .allocations(cell, "insert", atMost: 0.5), in: report).outcome == .passed)
        #expect(Verdict(on: .allocations(cell, "insert", atMost: 0.49), in: report).outcome == .missed)
    }

    @Test("allocations of misses are spread over the misses alone")
    func allocationsOfMisses() {
        let bar = Bar.allocationsOfMisses(Bar.Cell("evict", "larder"), "insert", atMost: 2)
        #expect(bar.figure(report) == 2)
        #expect(Bar.allocationsOfMisses(Bar.Cell("full", "larder"), "insert", atMost: 2).figure(report) == 2)
        #expect(Bar.allocationsOfMisses(Bar.Cell("get", "larder"), "insert", atMost: 2).figure(report) == nil)
    }

    @Test("a line names bar, figure and limit")
    func line() {
        let bar = Bar.ratio(Bar.Cell("get", "larder"), to: Bar.Cell("get", "peer"), atMost: 0.75)
        #expect(Verdict(on: bar, in: report).line == "get/larder/1 : get/peer/1 is 1.10, at most 0.75")
    }
}
