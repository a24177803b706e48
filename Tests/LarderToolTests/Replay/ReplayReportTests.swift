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
            workload: "t.oracle (oracle)",
            cache: "lru, 128 MiB",
            tally: tally,
            counts: TierCounts(memoryEntries: 1_234, memoryCost: 134_000_000, diskEntries: 48_974, diskBytes: 5_242_880)
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
                "memoryEntries":1234,"memoryCost":134000000,"diskEntries":48974,"diskBytes":5242880,"wrongValues":0}

                """
        )
    }

    @Test func `the JSON of nothing is still JSON`() throws {
        let empty = ReplayReport(workload: "", cache: "", tally: ReplayTally(), counts: TierCounts())
        let fields = try JSONDecoder().decode([String: Double].self, from: Data(empty.json.utf8))
        #expect(fields.count == 14 && fields.values.allSatisfy { $0 == 0 })
    }

    @Test func `wrong values and an interruption are said`() {
        var tally = ReplayTally()
        tally.wrongValues = 3
        tally.wasInterrupted = true
        let table = ReplayReport(workload: "", cache: "", tally: tally, counts: TierCounts()).table
        #expect(table.contains("wrong        3 values\n") && table.contains("interrupted: only what was served"))
    }
}
