import Testing

@testable import LarderStore

struct SlicePaceTests {
    @Test("slices grow while nobody waits, and shrink at once when somebody does")
    func pace() {
        var pace = SlicePace()
        let smallest = pace.limit
        for _ in 0..<20 { pace.note(.milliseconds(1), isAwaited: false) }
        let largest = pace.limit
        #expect(largest >= 16 * smallest)
        pace.note(.milliseconds(60), isAwaited: false)
        #expect(pace.limit == largest)
        pace.note(.milliseconds(60), isAwaited: true)
        #expect(pace.limit < largest)
        for _ in 0..<20 { pace.note(.milliseconds(60), isAwaited: true) }
        #expect(pace.limit == smallest)
        // A short one is none to wait for.
        pace.note(.milliseconds(4), isAwaited: true)
        #expect(pace.limit == 2 * smallest)
    }
}
