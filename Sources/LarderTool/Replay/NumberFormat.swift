/// Numbers for people, the same in every locale.
enum NumberFormat {
    /// `1234567` as `1,234,567`.
    static func grouped(_ number: Int) -> String {
        let digits = String(number.magnitude)
        var result = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { result.append(",") }
            result.append(digit)
        }
        return number < 0 ? "-" + result : result
    }

    /// A number with the given decimals, rounded to nearest.
    static func fixed(_ number: Double, decimals: Int) -> String {
        var scale = 1
        for _ in 0..<decimals { scale *= 10 }
        let scaled = Int(clamping: number.magnitude * Double(scale))
        let sign = number < 0 && scaled > 0 ? "-" : ""
        guard decimals > 0 else { return sign + grouped(scaled) }
        let fraction = String(scaled % scale)
        return sign + grouped(scaled / scale) + "." + String(repeating: "0", count: decimals - fraction.count)
            + fraction
    }

    static func percent(_ ratio: Double) -> String {
        fixed(ratio * 100, decimals: 2) + " %"
    }

    /// Bytes in the largest unit that leaves at least one.
    static func bytes(_ count: Int) -> String {
        var value = Double(count)
        var unit = "B"
        for next in ["KiB", "MiB", "GiB", "TiB"] where value >= 1024 {
            value /= 1024
            unit = next
        }
        return unit == "B" ? "\(grouped(count)) B" : "\(fixed(value, decimals: 1)) \(unit)"
    }

    /// Nanoseconds in the largest unit that leaves at least one; `-` for none.
    static func duration(_ nanoseconds: UInt64?) -> String {
        guard let nanoseconds else { return "-" }
        let value = Double(nanoseconds)
        switch nanoseconds {
        case ..<1_000: return "\(nanoseconds) ns"
        case ..<1_000_000: return fixed(value / 1e3, decimals: 1) + " µs"
        case ..<1_000_000_000: return fixed(value / 1e6, decimals: 1) + " ms"
        default: return fixed(value / 1e9, decimals: 2) + " s"
        }
    }

    /// The text filled up with spaces; a negative width aligns to the right.
    static func padded(_ text: String, to width: Int) -> String {
        let spaces = String(repeating: " ", count: max(0, abs(width) - text.count))
        return width < 0 ? spaces + text : text + spaces
    }
}
