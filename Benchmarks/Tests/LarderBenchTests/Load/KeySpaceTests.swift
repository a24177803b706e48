import Testing

@testable import LarderBench

struct KeySpaceTests {
    @Test("a permutation has every key once, the same on each run, another for each thread")
    func permutation() {
        let keys = KeySpace(count: 1_000) { "key:\($0)" }
        let first = keys.permutation(thread: 0).keys
        #expect(Set(first) == Set((0..<1_000).map { "key:\($0)" }))
        #expect(first == keys.permutation(thread: 0).keys)
        #expect(first != keys.permutation(thread: 1).keys)
    }

    @Test("addresses have 40 to 80 bytes, all lengths occur and all differ")
    func addresses() {
        let addresses = (0..<2_000).map(KeySpace.addresses.key)
        #expect(Set(addresses.map(\.utf8.count)) == Set(40...80))
        #expect(Set(addresses).count == addresses.count)
    }

    @Test("popular keys are as many as asked for, and the first rank leads")
    func popular() {
        let keys = KeySpace(count: 100) { $0 }
        let drawn = keys.popular(ZipfDistribution(count: 100, exponent: 0.99), length: 5_000, thread: 0).keys
        #expect(drawn.count == 5_000)
        #expect(drawn.allSatisfy { (0..<100).contains($0) })
        #expect(drawn.count { $0 == 0 } > drawn.count { $0 == 9 } * 3)
    }

    @Test("a sequence goes on where the operations say, and begins anew at its end")
    func sequence() {
        var seen: [Int] = []
        KeySequence(keys: [10, 11, 12]).forEach(5..<9) { operation, key in seen += [operation, key] }
        #expect(seen == [5, 12, 6, 10, 7, 11, 8, 12])
    }
}
