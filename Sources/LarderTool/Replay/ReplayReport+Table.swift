extension ReplayReport {
    /// The report for people.
    var table: String {
        var lines = [
            "workload     \(workload.name)",
            "cache        \(cache.name)",
            "",
            Self.row("outcome", "requests", "share", "p50", "p99", "p99.9"),
            row("memory hit", tally.memoryHits, tally.memoryHitLatency),
            row("disk hit", tally.diskHits, tally.diskHitLatency),
            row("miss", tally.misses, tally.missLatency),
            row("store", Int(tally.storeLatency.count), tally.storeLatency, hasShare: false),
            "",
            "requests     \(NumberFormat.grouped(tally.requests)), hit ratio \(NumberFormat.percent(tally.hitRatio))",
            "missed       \(NumberFormat.bytes(tally.missBytes))",
            "speed        \(NumberFormat.grouped(Int(clamping: tally.operationsPerSecond))) operations/s "
                + "(\(NumberFormat.fixed(tally.seconds, decimals: 2)) s)",
            "memory       \(NumberFormat.grouped(counts.memoryEntries)) entries, "
                + "cost \(NumberFormat.grouped(counts.memoryCost))",
            "disk         \(NumberFormat.grouped(counts.diskEntries)) entries, \(NumberFormat.bytes(counts.diskBytes))",
        ]
        if tally.wrongValues > 0 { lines.append("wrong        \(NumberFormat.grouped(tally.wrongValues)) values") }
        if tally.wasInterrupted { lines.append("interrupted: only what was served until then is counted") }
        return lines.joined(separator: "\n") + "\n"
    }

    private func row(_ outcome: String, _ count: Int, _ latency: LatencyHistogram, hasShare: Bool = true) -> String {
        let share = Double(count) / Double(max(1, tally.requests))
        return Self.row(
            outcome,
            NumberFormat.grouped(count),
            hasShare ? NumberFormat.percent(share) : "",
            NumberFormat.duration(latency.quantile(0.5)),
            NumberFormat.duration(latency.quantile(0.99)),
            NumberFormat.duration(latency.quantile(0.999))
        )
    }

    private static func row(_ first: String, _ rest: String...) -> String {
        NumberFormat.padded(first, to: 12) + rest.map { NumberFormat.padded($0, to: -12) }.joined()
    }
}

extension Int {
    /// The nearest `Int`; not-a-number is 0.
    init(clamping value: Double) {
        self = value.isNaN ? 0 : Int(exactly: value.rounded()) ?? (value < 0 ? .min : .max)
    }
}
