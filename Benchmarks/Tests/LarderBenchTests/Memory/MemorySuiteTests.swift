import Testing

@testable import LarderBench

struct MemorySuiteTests {
    @Test("the suite has the agreed cases, threads and subjects")
    func cases() {
        let cases = Suite.memory.cases
        var threads: [String: [Int]] = [:]
        for benchmark in cases { threads[benchmark.name, default: []].append(benchmark.threads) }
        #expect(
            threads == [
                "get-int": [1, 2], "get-string": [1, 2], "get-url": [1, 2], "set-string": [1, 2],
                "insert-evict": [1, 2], "mixed-90-10": [1, 2, 16], "expiring": [1, 2],
            ]
        )
        let subjects = ["larder", "mutex-dictionary", "lock-dictionary", "barrier-queue", "nscache"]
        for benchmark in cases { #expect(benchmark.subjects.map(\.name) == subjects) }
    }

    @Test("every bar speaks of cells that the suite measures")
    func bars() {
        let report = Report(
            results: Suite.memory.cases.flatMap { benchmark in
                benchmark.subjects.map {
                    .sample(benchmark.name, $0.name, threads: benchmark.threads, times: [1], hitRatio: 0.5)
                }
            }
        )
        for bar in Suite.memory.bars { #expect(bar.figure(report) != nil, "\(bar.title)") }
    }

    @Test("every subject gives back what was set last")
    func subjects() {
        let words = (0..<9).map { "key:\($0)" }
        check(LarderCache<String, Int>.self, words)
        check(MutexDictionary<String, Int>.self, words)
        check(LockDictionary<String, Int>.self, words)
        check(BarrierQueueDictionary<String, Int>.self, words)
        check(FoundationCache<String, Int>.self, words)
        check(LarderCache<Int, Int>.self, Array(0..<9))
        check(FoundationCache<Int, Int>.self, Array(0..<9))
    }

    @Test("every workload runs on every subject and hits what it should", arguments: workloads.indices)
    func work(index: Int) throws {
        let (benchmark, expected) = Self.workloads[index]
        for subject in benchmark.subjects {
            let trial = try subject.prepare()
            for thread in 0..<benchmark.threads {
                let hits = try trial.work(thread, 0..<100).hits
                #expect(expected.contains(hits), "\(benchmark.name) of \(subject.name) hit \(hits) times in 100")
            }
        }
    }

    private static let workloads: [(Case, hits: ClosedRange<Int>)] = {
        let numbers = KeySpace(count: 50) { $0 }
        let words = KeySpace(count: 50) { "key:\($0)" }
        let evicting = Evicting(name: "evicting", keys: words, countLimit: 10, exponent: 0.99, requests: 500)
        return [
            (Getting(name: "getting", keys: numbers).on(threads: 2), 100...100),
            (Setting(name: "setting", keys: words).on(threads: 2), 0...0),
            (evicting.on(threads: 2), 20...100),
            (Mixing(name: "mixing", keys: words).on(threads: 2), 90...90),
            (Expiring(name: "expiring", keys: words).on(threads: 2), 0...0),
        ]
    }()

    private func check<Store: KeyedStore>(_ store: Store.Type, _ keys: [Store.Key]) where Store.Value == Int {
        let store = Store(countLimit: nil)
        for (number, key) in keys.enumerated() { store.setValue(number, forKey: key) }
        store.setValue(-1, forKey: keys[0])
        #expect(store.value(forKey: keys[0]) == -1, "\(Store.self)")
        for number in keys.indices.dropFirst() { #expect(store.value(forKey: keys[number]) == number, "\(Store.self)") }
    }
}
