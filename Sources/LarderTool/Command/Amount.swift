/// Amounts of memory as people write them.
enum ByteCount {
    private static let units: [(name: String, bytes: Int)] = [
        ("B", 1),
        ("KB", 1_000), ("MB", 1_000_000), ("GB", 1_000_000_000), ("TB", 1_000_000_000_000),
        ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40),
    ]

    /// A positive number read from text, and whether it carried a unit.
    struct Amount: Equatable {
        let value: Int
        let hasUnit: Bool
    }

    /// Reads `1000` or `384MiB`; units are not case-sensitive.
    ///
    /// Anything that is not a whole number above zero and within `Int` is a usage error that names `option`.
    static func parse(_ text: String, option: String) throws(ToolError) -> Amount {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == "-" || $0 == "+") }
        let unitName = text.dropFirst(digits.count)
        let example = "give a whole number above zero such as 1000 or 384MiB"
        guard digits.contains(where: \.isNumber) else {
            throw .usage("\(option) is '\(text)', which is no number; \(example)")
        }
        guard !digits.hasPrefix("-") else { throw .usage("\(option) is \(text), which is negative; \(example)") }
        guard digits.allSatisfy(\.isNumber) else {
            throw .usage("\(option) is '\(text)', which is no number; \(example)")
        }
        guard !unitName.hasPrefix("."), !unitName.hasPrefix(",") else {
            throw .usage("\(option) is '\(text)', which is not whole; \(example), or use a smaller unit")
        }
        var factor = 1
        if !unitName.isEmpty {
            guard let unit = units.first(where: { $0.name.lowercased() == unitName.lowercased() }) else {
                let known = units.map(\.name).joined(separator: ", ")
                throw .usage("\(option) is '\(text)' with unknown unit '\(unitName)'; use one of \(known)")
            }
            factor = unit.bytes
        }
        guard let number = Int(digits), case let (value, overflow) = number.multipliedReportingOverflow(by: factor),
            !overflow
        else {
            throw .usage("\(option) is \(text), which is larger than \(Int.max); \(example)")
        }
        guard value > 0 else { throw .usage("\(option) is \(text); \(example)") }
        return Amount(value: value, hasUnit: !unitName.isEmpty)
    }
}
