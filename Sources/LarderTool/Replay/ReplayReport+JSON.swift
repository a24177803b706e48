internal import FoundationEssentials

extension ReplayReport {
    /// The one object of `--json`, with a line end: what happened, then what was served and through what.
    ///
    /// What does not apply is `null`, so that every report has the same names in the same order.
    var json: String {
        Self.object([
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
            ("interrupted", "\(tally.wasInterrupted)"),
            ("version", Self.text(HelpText.version)),
            ("workload", workloadJSON),
            ("cache", cacheJSON),
        ]) + "\n"
    }

    private var workloadJSON: String {
        Self.object([
            ("name", Self.text(workload.name)),
            ("trace", Self.text(workload.trace)),
            ("format", Self.text(workload.format?.rawValue)),
            ("seed", Self.number(workload.seed)),
            ("limit", Self.number(workload.limit)),
            ("cost", Self.text(workload.cost.rawValue)),
            ("valueSize", Self.number(workload.valueSize)),
        ])
    }

    private var cacheJSON: String {
        Self.object([
            ("name", Self.text(cache.name)),
            ("tier", Self.text(cache.tier.rawValue)),
            ("policy", Self.text(cache.policy)),
            ("countLimit", Self.number(cache.countLimit)),
            ("costLimit", Self.number(cache.costLimit)),
            ("diskBudget", Self.number(cache.diskBudget)),
            ("durability", Self.text(cache.durability)),
            ("directory", Self.text(cache.directory)),
            ("config", Self.text(cache.configurationPath)),
        ])
    }

    private static func object(_ fields: [(String, String)]) -> String {
        "{" + fields.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
    }

    private static func number(_ number: (some FixedWidthInteger)?) -> String {
        number.map { "\($0)" } ?? "null"
    }

    private static func text(_ text: String?) -> String {
        guard let text else { return "null" }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        // A text always has a JSON form.
        return (try? encoder.encode(text)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }
}
