import Testing

@testable import LarderTool

struct NumberFormatTests {
    @Test func `digits are grouped by three`() {
        #expect(
            [0, 999, 1_000, 1_234_567, -1_000, .max, .min].map(NumberFormat.grouped) == [
                "0", "999", "1,000", "1,234,567", "-1,000", "9,223,372,036,854,775,807", "-9,223,372,036,854,775,808",
            ]
        )
    }

    @Test func `decimals are rounded to nearest`() {
        #expect(NumberFormat.fixed(1.005, decimals: 2) == "1.00")
        #expect(NumberFormat.fixed(0.999, decimals: 2) == "1.00")
        #expect(NumberFormat.fixed(1_234.25, decimals: 1) == "1,234.3")
        #expect(NumberFormat.fixed(2.5, decimals: 0) == "3")
        #expect(NumberFormat.fixed(-0.001, decimals: 2) == "0.00")
        #expect(NumberFormat.fixed(.infinity, decimals: 0) == NumberFormat.grouped(.max))
        #expect(NumberFormat.fixed(.nan, decimals: 1) == "0.0")
        #expect(NumberFormat.percent(0.56987) == "56.99 %")
    }

    @Test func `bytes and durations take the unit that leaves at least one`() {
        #expect(
            [0, 1_023, 1_024, 134_217_728, 4_368_040_448].map(NumberFormat.bytes) == [
                "0 B", "1,023 B", "1.0 KiB", "128.0 MiB", "4.1 GiB",
            ]
        )
        #expect(
            [nil, 0, 999, 1_500, 2_000_000, 3_210_000_000].map(NumberFormat.duration) == [
                "-", "0 ns", "999 ns", "1.5 µs", "2.0 ms", "3.21 s",
            ]
        )
    }

    @Test func `padding aligns left or right and cuts nothing`() {
        #expect(NumberFormat.padded("ab", to: 4) == "ab  ")
        #expect(NumberFormat.padded("ab", to: -4) == "  ab")
        #expect(NumberFormat.padded("abc", to: 2) == "abc")
    }
}
