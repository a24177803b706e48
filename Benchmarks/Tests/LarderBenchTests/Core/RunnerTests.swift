import Synchronization
import Testing

@testable import LarderBench

struct RunnerTests {
    @Test("each thread gets every operation once, in order, over warm-up, rounds and counting")
    func operations() throws {
        let log = Log()
        let results = try quickRunner(threads: 2).measure(
            Case(name: "case", threads: 2, subjects: [subject("a", hits: .none, log: log)])
        )
        #expect(results.map(\.benchmark) == ["case"])
        #expect(results.map(\.threads) == [2])
        for thread in 0..<2 {
            let ranges = log.ranges(thread)
            // At least one run to warm up, three rounds and the count of allocations.
            #expect(ranges.count >= 5)
            #expect(ranges.first?.lowerBound == 0)
            for (range, next) in zip(ranges, ranges.dropFirst()) { #expect(range.upperBound == next.lowerBound) }
        }
    }

    @Test("subjects take their rounds in turn")
    func turns() throws {
        let log = Log()
        let subjects = ["a", "b", "c"].map { subject($0, hits: .none, log: log) }
        _ = try quickRunner(threads: 1).measure(Case(name: "case", threads: 1, subjects: subjects))
        let rounds = Array(log.names.suffix(12))
        #expect(rounds == ["a", "b", "c", "a", "b", "c", "a", "b", "c", "a", "b", "c"])
    }

    @Test("the hit ratio is that of the rounds, and shown only where it is part of the result")
    func hitRatio() throws {
        let half: Trial.Work = { _, operations in Tally(hits: operations.count / 2) }
        let subjects = [
            Subject(name: "shown") { Trial(hits: .measured, work: half) },
            Subject(name: "hidden") { Trial(hits: .none, work: half) },
        ]
        var runner = quickRunner(threads: 1)
        runner.acceptedOperations = 2_000...2_000
        let results = try runner.measure(Case(name: "case", threads: 1, subjects: subjects))
        #expect(results.map(\.hitRatio) == [0.5, nil])
    }

    @Test("a subject that misses what is there fails the run, by name")
    func brokenSubject() {
        let broken = Subject(name: "leaky") {
            Trial(hits: .all) { _, operations in Tally(hits: operations.count - 1) }
        }
        let error = #expect(throws: MeasurementError.self) {
            try quickRunner(threads: 1).measure(Case(name: "get", threads: 1, subjects: [broken]))
        }
        #expect(error?.description.hasPrefix("get of leaky: 3 of ") == true)
    }

    private func quickRunner(threads: Int) -> Runner {
        var runner = Runner(rounds: 3, threads: threads)
        runner.roundNanoseconds = 1e4
        runner.warmUpNanoseconds = 1e4
        return runner
    }

    private func subject(_ name: String, hits: Trial.Hits, log: Log) -> Subject {
        Subject(name: name) {
            Trial(hits: hits) { thread, operations in
                log.add(name, thread, operations)
                return Tally()
            }
        }
    }
}

/// Which work was done, in order.
private final class Log: Sendable {
    private let entries = Mutex<[(name: String, thread: Int, operations: Range<Int>)]>([])

    func add(_ name: String, _ thread: Int, _ operations: Range<Int>) {
        entries.withLock { $0.append((name, thread, operations)) }
    }

    var names: [String] { entries.withLock { $0.map(\.name) } }

    func ranges(_ thread: Int) -> [Range<Int>] {
        entries.withLock { entries in entries.filter { $0.thread == thread }.map(\.operations) }
    }
}
