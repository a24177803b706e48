internal import Larder

extension StoreReport {
    /// The report for people.
    var text: String {
        let removed = removedEntries == 0 ? "" : ", and \(NumberFormat.grouped(removedEntries)) removed ones to reclaim"
        var lines = [
            "store        \(path.onOneLine)",
            "entries      \(NumberFormat.grouped(entries))\(removed)",
            "live         \(Self.amount(liveBytes)) headers, keys and values",
            "used         \(Self.amount(usedBytes)) pages in use: what the budget limits",
            "free         \(Self.amount(freeBytes)) pages to be used again",
            "allocated    \(Self.amount(allocatedBytes)) what the data file takes on the disk",
            "file         \(Self.amount(fileBytes)) its size, holes included",
        ]
        if !tables.isEmpty {
            let width = max(13, (tables.map { $0.name.onOneLine.count }.max() ?? 0) + 2)
            lines += ["", Self.row("table", width, "keys", "entries", "expired", "live")]
            lines += tables.map { table in
                Self.row(
                    table.name.onOneLine,
                    width,
                    table.keyKind.onOneLine,
                    NumberFormat.grouped(table.entries),
                    NumberFormat.grouped(table.expired),
                    NumberFormat.bytes(table.liveBytes)
                )
            }
        }
        if entries > 0 {
            lines += ["", "size of records"]
            lines += sizes.lines { lower, upper in
                upper.map { "\(NumberFormat.bytes(lower)) to \(NumberFormat.bytes($0))" }
                    ?? "from \(NumberFormat.bytes(lower))"
            }
            lines += ["", "age"]
            lines += ages.lines { lower, upper in
                upper.map { lower == 0 ? "below \(Self.age($0))" : "\(Self.age(lower)) to \(Self.age($0))" }
                    ?? "from \(Self.age(lower))"
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func amount(_ bytes: Int) -> String {
        NumberFormat.padded(NumberFormat.bytes(bytes), to: -12) + "  "
    }

    private static func row(_ first: String, _ width: Int, _ second: String, _ rest: String...) -> String {
        NumberFormat.padded(first, to: width) + NumberFormat.padded(second, to: 10)
            + rest.map { NumberFormat.padded($0, to: -14) }.joined()
    }

    private static func age(_ seconds: Int) -> String {
        switch seconds {
        case ..<3_600: "\(seconds / 60) min"
        case ..<86_400: "\(seconds / 3_600) h"
        default: "\(seconds / 86_400) d"
        }
    }
}
