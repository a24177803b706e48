import Testing

@testable import LarderBench

struct SpreadTests {
    @Test("the median of an odd number of values is the one in the middle")
    func odd() {
        let spread = Spread(of: [9, 1, 5])
        #expect(spread.minimum == 1)
        #expect(spread.median == 5)
        #expect(spread.maximum == 9)
    }

    @Test("the median of an even number of values is halfway between the two in the middle")
    func even() {
        #expect(Spread(of: [4, 1, 100, 2]).median == 3)
    }

    @Test("a single value is all three")
    func single() {
        let spread = Spread(of: [7])
        #expect([spread.minimum, spread.median, spread.maximum] == [7, 7, 7])
    }
}
