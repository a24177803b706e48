import Testing

@testable import LarderTool

struct AmountTests {
    @Test(
        arguments: [
            ("1", 1, false), ("1000", 1000, false), ("384MiB", 384 << 20, true), ("4gib", 4 << 30, true),
            ("2KB", 2000, true), ("7B", 7, true), ("\(Int.max)", Int.max, false), ("8388607TiB", 8_388_607 << 40, true),
        ]
    )
    func `amounts are read with and without a unit`(text: String, value: Int, hasUnit: Bool) throws {
        let amount = try Amount(text, option: "--capacity")
        #expect(amount == Amount(value: value, hasUnit: hasUnit))
    }

    @Test(
        arguments: [
            ("0", "--capacity is 0;"),
            ("0MiB", "--capacity is 0MiB;"),
            ("-1", "--capacity is -1, which is negative;"),
            ("-1MiB", "--capacity is -1MiB, which is negative;"),
            ("9223372036854775808", "which is larger than 9223372036854775807;"),
            ("99999999999999999999999999", "which is larger than"),
            ("8388608TiB", "which is larger than"),
            ("10XiB", "unknown unit 'XiB'; use one of B, KB"),
            ("1 MiB", "unknown unit ' MiB'"),
            ("MiB", "which is no number;"),
            ("", "which is no number;"),
            ("+1", "which is no number;"),
            ("1-1", "which is no number;"),
            ("1.5GiB", "which is not whole;"),
            ("٣", "which is no number;"),
        ]
    )
    func `anything but a whole number above zero is refused by name, value and remedy`(text: String, part: String) {
        let error = toolError { _ = try Amount(text, option: "--capacity") }
        #expect(error?.status == .usage)
        #expect(error?.message.hasPrefix("--capacity is ") == true)
        #expect(error?.message.contains(part) == true, "\(error?.message ?? "none")")
    }
}
