internal import LarderStore

/// A whole number above zero as people write it: of anything, or, with a unit, of bytes.
struct Amount: Equatable {
    let value: Int
    let hasUnit: Bool
}

extension Amount {
    /// Reads `1000` or `384MiB`, as `ByteCount` does.
    ///
    /// Anything that is not a whole number above zero and within `Int` is a usage error that names `option`.
    init(_ text: String, option: String) throws(ToolError) {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == "-" || $0 == "+") }
        let unit = text.dropFirst(digits.count)
        let example = "give a whole number above zero such as 1000 or 384MiB"
        guard digits.contains(where: \.isNumber) else {
            throw .usage("\(option) is '\(text)', which is no number; \(example)")
        }
        guard !digits.hasPrefix("-") else { throw .usage("\(option) is \(text), which is negative; \(example)") }
        guard digits.allSatisfy(\.isNumber) else {
            throw .usage("\(option) is '\(text)', which is no number; \(example)")
        }
        guard !unit.hasPrefix("."), !unit.hasPrefix(",") else {
            throw .usage("\(option) is '\(text)', which is not whole; \(example), or use a smaller unit")
        }
        guard unit.first != " ", ByteCount("1\(unit)") != nil else {
            let known = "B, KB, MB, GB, TB, KiB, MiB, GiB, TiB"
            throw .usage("\(option) is '\(text)' with unknown unit '\(unit)'; use one of \(known)")
        }
        guard let count = ByteCount(text) else {
            throw .usage("\(option) is \(text), which is larger than \(Int.max); \(example)")
        }
        guard count.bytes > 0 else { throw .usage("\(option) is \(text); \(example)") }
        self.init(value: count.bytes, hasUnit: !unit.isEmpty)
    }
}
