import FoundationEssentials
import Testing

@testable import LarderTool

struct ReplayReportTests {
    private var report: ReplayReport {
        var tally = ReplayTally()
        tally.memoryHits = 40_000
        tally.diskHits = 24_898
        tally.misses = 48_974
        tally.missBytes = 4_214_303_232
        tally.nanoseconds = 500_000_000
        for _ in 0..<1_000 { tally.memoryHitLatency.record(50) }
        tally.diskHitLatency.record(3_000)
        for _ in 0..<48_974 { tally.storeLatency.record(60) }
        return ReplayReport(
            workload: ReplayWorkload(
                name: "t.oracle (oracle)",
                trace: "t.oracle",
                format: .oracle,
                limit: 200_000,
                cost: .size
            ),
            cache: CacheDescription(
                name: "lru, 128 MiB",
                tier: .tiered,
                policy: "lru",
                costLimit: 128 << 20,
                diskBudget: 1 << 30,
                durability: "commit",
                directory: #"/a "quoted"\directory"#,
                configurationPath: "c.json"
            ),
            tally: tally,
            counts: TierCounts(memoryEntries: 1_234, memoryCost: 134_000_000, diskEntries: 48_974, diskBytes: 5_242_880)
        )
    }

    private func empty(_ tally: ReplayTally = ReplayTally()) -> ReplayReport {
        ReplayReport(
            workload: ReplayWorkload(name: ""),
            cache: CacheDescription(name: ""),
            tally: tally,
            counts: TierCounts()
        )
    }

    @Test func `the table is for people`() {
        #expect(
            report.table == """
                workload     t.oracle (oracle)
                cache        lru, 128 MiB

                outcome         requests       share         p50         p99       p99.9
                memory hit        40,000     35.13 %       50 ns       50 ns       50 ns
                disk hit          24,898     21.86 %      3.0 µs      3.0 µs      3.0 µs
                miss              48,974     43.01 %           -           -           -
                store             48,974                   60 ns       60 ns       60 ns

                requests     113,872, hit ratio 56.99 %
                missed       3.9 GiB
                speed        227,744 operations/s (0.50 s)
                memory       1,234 entries, cost 134,000,000
                disk         48,974 entries, 5.0 MiB

                """
        )
    }

    @Test func `the JSON is one object with the agreed names, in order`() {
        #expect(
            report.json == """
                {"requests":113872,"hits":64898,"misses":48974,"missBytes":4214303232,"memoryHits":40000,\
                "diskHits":24898,"hitRatio":0.569920612617676,"seconds":0.5,"operationsPerSecond":227744.0,\
                "memoryEntries":1234,"memoryCost":134000000,"diskEntries":48974,"diskBytes":5242880,"wrongValues":0,\
                "interrupted":false,"version":"\(HelpText.version)",\
                "workload":{"name":"t.oracle (oracle)","trace":"t.oracle","format":"oracle","seed":null,"limit":200000,\
                "cost":"size","valueSize":null},\
                "cache":{"name":"lru, 128 MiB","tier":"tiered","policy":"lru","countLimit":null,"costLimit":134217728,\
                "diskBudget":1073741824,"durability":"commit","directory":"/a \\"quoted\\"\\\\directory",\
                "config":"c.json"}}

                """
        )
    }

    @Test func `the JSON of nothing is still JSON`() throws {
        struct Numbers: Decodable {
            let requests, hits, misses, missBytes, memoryHits, diskHits, memoryEntries, memoryCost, diskEntries: Int
            let diskBytes, wrongValues: Int
            let hitRatio, seconds, operationsPerSecond: Double
        }
        let numbers = try JSONDecoder().decode(Numbers.self, from: Data(empty().json.utf8))
        #expect(numbers.requests == 0 && numbers.hitRatio == 0 && numbers.operationsPerSecond == 0)
    }

    @Test func `wrong values and an interruption are said`() {
        var tally = ReplayTally()
        tally.wrongValues = 3
        tally.wasInterrupted = true
        let report = empty(tally)
        #expect(report.table.contains("wrong        3 values\n"))
        #expect(report.table.contains("interrupted: only what was served"))
        #expect(report.json.contains(#""wrongValues":3,"interrupted":true,"#))
    }
}
