/// What a replay reports: what was served, through what, and how it went.
struct ReplayReport {
    let workload: String
    let cache: String
    let tally: ReplayTally
    let counts: TierCounts

    /// The one object of `--json`, with a line end.
    var json: String {
        let fields: [(String, String)] = [
            ("requests", "\(tally.requests)"),
            ("hits", "\(tally.hits)"),
            ("misses", "\(tally.misses)"),
            ("missBytes", "\(tally.missBytes)"),
            ("memoryHits", "\(tally.memoryHits)"),
            ("diskHits", "\(tally.diskHits)"),
            // A finite Double's description is a JSON number, and these are finite.
            ("hitRatio", "\(tally.hitRatio)"),
            ("seconds", "\(tally.seconds)"),
            ("operationsPerSecond", "\(tally.operationsPerSecond)"),
            ("memoryEntries", "\(counts.memoryEntries)"),
            ("memoryCost", "\(counts.memoryCost)"),
            ("diskEntries", "\(counts.diskEntries)"),
            ("diskBytes", "\(counts.diskBytes)"),
            ("wrongValues", "\(tally.wrongValues)"),
        ]
        return "{" + fields.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}\n"
    }
}
