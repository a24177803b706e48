/// An amount of bytes.
///
/// Written as a plain number or with a unit: `1000`, `64KB`, `384MiB`, `4GiB`. Units with an `i` are powers of 1024, the
/// others of 1000; case does not matter.
public struct ByteCount: Sendable, Hashable {
    /// The number of bytes, never negative.
    public let bytes: Int

    /// Creates an amount; a negative one becomes zero.
    public static func bytes(_ count: Int) -> ByteCount { ByteCount(clamping: count, times: 1) }

    /// An amount in units of 1024 bytes; an amount beyond the range becomes the largest.
    public static func kibibytes(_ count: Int) -> ByteCount { ByteCount(clamping: count, times: 1 << 10) }

    /// An amount in units of 1024² bytes; an amount beyond the range becomes the largest.
    public static func mebibytes(_ count: Int) -> ByteCount { ByteCount(clamping: count, times: 1 << 20) }

    /// An amount in units of 1024³ bytes; an amount beyond the range becomes the largest.
    public static func gibibytes(_ count: Int) -> ByteCount { ByteCount(clamping: count, times: 1 << 30) }

    private init(clamping count: Int, times unit: Int) {
        let (product, overflow) = max(count, 0).multipliedReportingOverflow(by: unit)
        bytes = overflow ? .max : product
    }

    private static let units: [(suffix: String, factor: Int)] = [
        ("kib", 1 << 10), ("mib", 1 << 20), ("gib", 1 << 30), ("tib", 1 << 40),
        ("kb", 1_000), ("mb", 1_000_000), ("gb", 1_000_000_000), ("tb", 1_000_000_000_000),
        ("b", 1), ("", 1),
    ]
}

extension ByteCount: LosslessStringConvertible {
    /// Reads an amount such as `384MiB`; `nil` if the text is no amount, negative, or beyond the range of `Int`.
    public init?(_ description: String) {
        let text = description.lowercased()
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let suffix = text.dropFirst(digits.count).drop { $0 == " " }
        guard let count = Int(digits), let unit = Self.units.first(where: { $0.suffix == suffix }) else { return nil }
        let (product, overflow) = count.multipliedReportingOverflow(by: unit.factor)
        guard !overflow else { return nil }
        bytes = product
    }

    /// The amount in the largest unit that shows it exactly, for example `384MiB`.
    public var description: String {
        let binary: [(name: String, factor: Int)] = [
            ("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10),
        ]
        guard let unit = binary.first(where: { bytes >= $0.factor && bytes % $0.factor == 0 }) else {
            return "\(bytes)"
        }
        return "\(bytes / unit.factor)\(unit.name)"
    }
}

extension ByteCount: ExpressibleByIntegerLiteral {
    /// Creates an amount of bytes from a literal; a negative one becomes zero.
    public init(integerLiteral value: Int) {
        self = .bytes(value)
    }
}

extension ByteCount: Comparable {
    /// Whether the first amount is smaller.
    public static func < (first: ByteCount, second: ByteCount) -> Bool {
        first.bytes < second.bytes
    }
}
