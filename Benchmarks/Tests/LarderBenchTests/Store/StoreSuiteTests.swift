import Foundation
import Testing

@testable import LarderBench

struct StoreSuiteTests {
    @Test("the suite has the agreed cases and threads")
    func cases() {
        var threads: [String: [Int]] = [:]
        for benchmark in Suite.store.cases { threads[benchmark.name, default: []].append(benchmark.threads) }
        #expect(
            threads == [
                "get-100B-100k": [1, 2], "get-100B-1M": [1, 2], "get-1KB-100k": [1, 2], "get-1KB-1M": [1, 2],
                "put-100B": [1], "put-1KB": [1], "put-durable": [1, 8], "mixed-90-10": [1], "overwrite-3KB": [1],
                "open-1M": [1], "clear-1M": [1], "expire-100k": [1],
            ]
        )
    }

    @Test("every bar speaks of cells that the suite measures")
    func bars() {
        let report = Report(
            results: Suite.store.cases.flatMap { benchmark in
                benchmark.subjects.map {
                    .sample(
                        benchmark.name,
                        $0.name,
                        threads: benchmark.threads,
                        times: [1],
                        fileBytes: 2,
                        payloadBytes: 1
                    )
                }
            }
        )
        for bar in Suite.store.bars { #expect(bar.figure(report) != nil, "\(bar.title)") }
    }

    @Test("every subject gives back what was put last, also when it is opened again")
    func subjects() throws {
        try check(LarderDirectory.self)
        try check(RawLMDB.self)
        try check(SQLiteFile.self)
        try check(FilePerKey.self)
    }

    private func check<Store: PersistentStore>(_: Store.Type) throws {
        let directory = try ScratchDirectory.path("check")
        defer { try? FileManager.default.removeItem(atPath: directory) }
        for durability in [BenchDurability.relaxed, .strict] {
            try write(Store.self, durability, in: directory)
            let store = try Store(in: directory, durability)
            #expect(try store.count() == 9, "\(Store.name)")
            try read(store)
            try store.close()
        }
    }

    // Functions of their own, so that the sessions have ended when the store is closed.
    @inline(never)
    private func write<Store: PersistentStore>(_: Store.Type, _ durability: BenchDurability, in directory: String)
        throws
    {
        let store = try Store(in: directory, durability)
        try put(store)
        try store.close()
    }

    @inline(never)
    private func put(_ store: some PersistentStore) throws {
        let session = try store.session()
        for number in 0..<9 { try session.put([UInt8(number), 255], forKey: Records.key(number)) }
        for number in 0..<9 { try session.put([UInt8(number)], forKey: Records.key(number)) }
        try session.flush()
    }

    @inline(never)
    private func read<Store: PersistentStore>(_ store: Store) throws {
        let session = try store.session()
        for number in 0..<9 {
            #expect(try session.value(forKey: Records.key(number)) == [UInt8(number)], "\(Store.name)")
        }
        #expect(try session.value(forKey: "none") == nil, "\(Store.name)")
    }

    @Test("every workload runs on every subject and hits what it should", arguments: workloads.indices)
    func work(index: Int) throws {
        let benchmark = Self.workloads[index]
        var runner = Runner(rounds: 2, threads: benchmark.threads)
        runner.roundNanoseconds = 1e4
        runner.warmUpNanoseconds = 1e4
        runner.acceptedOperations = 100...1_000
        let results = try runner.measure(benchmark)
        #expect(results.map(\.subject) == benchmark.subjects.map(\.name))
        for result in results where result.fileBytes != nil {
            #expect(result.payloadBytes ?? 0 > 0, "\(result.subject)")
            #expect(result.fileBytes ?? 0 > result.payloadBytes ?? 0 || result.subject == "files", "\(result.subject)")
        }
    }

    private static let workloads: [Case] = {
        let records = Records(200, valueBytes: 100)
        let filled = FilledStores(records)
        return [
            StoreGetting(name: "getting", stores: filled).on(threads: 2),
            StorePutting(name: "putting", records: records).benchmark,
            StorePuttingDurably(name: "durable", records: records, operations: 5, threads: 2).benchmark,
            StoreMixing(name: "mixing", records: records).benchmark,
            StoreOverwriting(name: "overwriting", value: Records(1, valueBytes: 50), operations: 10).benchmark,
            StoreOpening(name: "opening", stores: FilledStores(records)).benchmark,
            StoreClearing(name: "clearing", stores: FilledStores(records)).benchmark,
            StoreExpiring(name: "expiring", records: records).benchmark,
        ]
    }()
}
