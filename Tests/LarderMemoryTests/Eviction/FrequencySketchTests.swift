import TestSupport
import Testing

@testable import LarderMemory

struct FrequencySketchTests {
    @Test("an estimate is never under the true count and seldom over it")
    func estimates() {
        var random = SeededRandom(seed: 11)
        var sketch = FrequencySketch()
        sketch.reserve(4096)
        // Few enough additions that no halving is due.
        var counts: [UInt64: Int] = [:]
        for _ in 0..<1000 {
            let hash = random.next()
            let times = Int.random(in: 1...20, using: &random)
            sketch.add(hash, times: times)
            counts[hash, default: 0] += times
        }
        var over = 0
        for (hash, count) in counts {
            let estimate = sketch.frequency(hash)
            #expect(estimate >= min(15, count))
            if estimate > min(15, count) { over += 1 }
        }
        #expect(over < 50)
        let strangers = (0..<1000).count { _ in sketch.frequency(random.next()) > 0 }
        #expect(strangers < 100)
    }

    @Test("growing keeps every estimate")
    func growth() {
        var random = SeededRandom(seed: 12)
        var sketch = FrequencySketch()
        sketch.reserve(64)
        let hashes = (0..<50).map { _ in random.next() }
        for (position, hash) in hashes.enumerated() { sketch.add(hash, times: position % 10 + 1) }
        let before = hashes.map { sketch.frequency($0) }
        sketch.reserve(5000)
        #expect(sketch.capacity >= 5000)
        #expect(hashes.map { sketch.frequency($0) } == before)
    }

    @Test("every ten additions a hash that there is room for, all counts are halved, a piece at a time")
    func ageing() {
        var random = SeededRandom(seed: 13)
        var sketch = FrequencySketch()
        sketch.reserve(20_000)
        let popular = random.next()
        sketch.add(popular, times: 15)
        var additions = 15
        while sketch.frequency(popular) == 15, additions < 1_000_000 {
            sketch.add(random.next())
            additions += 1
        }
        // Additions to counters that are full already do not count, and the last piece is halved a few additions later.
        #expect((200_000...205_000).contains(additions))
        #expect(sketch.frequency(popular) == 7)
    }

    @Test("a sketch without room counts nothing")
    func empty() {
        var sketch = FrequencySketch()
        sketch.add(1)
        #expect(sketch.frequency(1) == 0)
        #expect(sketch.bytes == 0)
    }
}
