/// Durations as people write them: `250ms`, `30s`, `5m`, `2h`, `7d`, or a bare number of seconds.
enum DurationText {
    private static let units: [(suffix: String, nanoseconds: Double)] = [
        ("ns", 1), ("us", 1e3), ("ms", 1e6), ("s", 1e9), ("m", 60e9), ("h", 3600e9), ("d", 86_400e9),
    ]

    static func parse(_ text: String) -> Duration? {
        // Longest suffix first, or "ms" would be read as a broken "s".
        let unit = units.filter { text.hasSuffix($0.suffix) }.max { $0.suffix.count < $1.suffix.count }
        let number = unit.map { text.dropLast($0.suffix.count) } ?? text[...]
        guard let value = Double(number) else { return nil }
        return duration(value * (unit?.nanoseconds ?? 1e9))
    }

    static func parse(seconds: Double) -> Duration? {
        duration(seconds * 1e9)
    }

    private static func duration(_ nanoseconds: Double) -> Duration? {
        guard nanoseconds.isFinite, nanoseconds.magnitude < 9e18 else { return nil }
        return .nanoseconds(Int64(nanoseconds.rounded()))
    }

    /// The shortest exact form.
    static func format(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        guard attoseconds == 0 else {
            let nanoseconds = attoseconds / 1_000_000_000
            let (total, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
            guard !overflow else { return "\(seconds)s" }
            let all = total + nanoseconds
            for (suffix, size) in [("ms", Int64(1_000_000)), ("us", 1_000)] where all % size == 0 {
                return "\(all / size)\(suffix)"
            }
            return "\(all)ns"
        }
        for (suffix, size) in [("d", Int64(86_400)), ("h", 3_600), ("m", 60)] where seconds != 0 && seconds % size == 0
        {
            return "\(seconds / size)\(suffix)"
        }
        return "\(seconds)s"
    }
}
