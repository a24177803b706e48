import Testing

@testable import LarderTool

struct ReplayValueTests {
    @Test(arguments: [0, 1, 7, 8, 9, 64, 1000])
    func `a value is right for its own key and length only`(count: Int) {
        let value = ReplayValue.bytes(forKey: 42, count: count)
        #expect(value.count == count)
        #expect(ReplayValue.isRight(value, forKey: 42))
        guard count > 1 else { return }
        #expect(!ReplayValue.isRight(value, forKey: 43))
        #expect(!ReplayValue.isRight(value.dropLast(), forKey: 42))
        #expect(!ReplayValue.isRight(value + [0], forKey: 42))
    }

    @Test func `any one wrong bit is found`() {
        let value = ReplayValue.bytes(forKey: -1, count: 20)
        for index in value.indices {
            for bit in 0..<8 {
                var spoilt = value
                spoilt[index] ^= 1 << UInt8(bit)
                #expect(!ReplayValue.isRight(spoilt, forKey: -1))
            }
        }
    }

    @Test func `the bytes are the same in every process`() {
        // Written down: a store made by one replay must be right for a later one.
        #expect(ReplayValue.bytes(forKey: 1, count: 9) == [235, 143, 13, 25, 218, 94, 217, 30, 156])
    }

    @Test func `the length follows the option, the record or the default`() {
        let sized = Fixture.request(1, 5_000)
        #expect(ReplayValue.Length.fixed(64).bytes(for: sized) == 64)
        #expect(ReplayValue.Length.standard.bytes(for: sized) == 1024)
        #expect(ReplayValue.Length.standard.bytes(for: Fixture.request(1, 10)) == 10)
        #expect(ReplayValue.Length.standard.bytes(for: Fixture.request(1)) == 64)
    }
}
