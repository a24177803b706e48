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

    @Test("a stream of given length runs once a round, prepared before each, and once more to count")
    func stream() throws {
        let log = Log()
        let subject = Subject(name: "a") {
            Trial(
                hits: .none,
                round: .operations(5),
                prepareRound: { log.add("prepare", 0, 0..<0) },
                space: { Space(fileBytes: 30, payloadBytes: 20) }
            ) { thread, operations in
                log.add("run", thread, operations)
                return Tally()
            }
        }
        let results = try quickRunner(threads: 1).measure(Case(name: "put", threads: 1, subjects: [subject]))
        #expect(log.names == ["prepare", "run", "prepare", "run", "prepare", "run", "prepare", "run"])
        #expect(log.ranges(0).filter { !$0.isEmpty } == [0..<5, 5..<10, 10..<15, 15..<20])
        #expect(results.map(\.fileBytes) == [30])
        #expect(results.map(\.amplification) == [1.5])
    }

    @Test("an error ends the run, with the name of who made it", arguments: [0, 1, 2])
    func failure(place: Int) {
        let subject = Subject(name: "disk") {
            if place == 0 { throw FileFailure(call: "open", code: 28) }
            return Trial(hits: .none, prepareRound: { if place == 1 { throw FileFailure(call: "open", code: 28) } }) {
                _,
                _ in throw FileFailure(call: "open", code: 28)
            }
        }
        #expect(throws: MeasurementError("put of disk failed: open: No space left on device")) {
            try quickRunner(threads: 1).measure(Case(name: "put", threads: 1, subjects: [subject]))
        }
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
