/// Estimates how often hashes were seen lately, in four bits a counter and four counters a hash: a count-min sketch.
///
/// An estimate is never below the true count up to 15, and above it only where all four counters are shared. Every so
/// many additions all counters are halved, so that what was popular once gives way (the ageing of TinyLFU: Einziger,
/// Friedman and Manes, 2017). A hash's counters lie in one block of 64 bytes, one in each quarter.
struct FrequencySketch: Sendable {
    /// Sixteen counters a word, eight words a block.
    private var words: [UInt64] = []

    /// What the counters hold of the additions since the last halving.
    private var additions = 0

    /// The most hashes that there was room for; ten times as many additions make a halving due.
    private var population = 0

    /// The next word to halve; `words.count` while no halving is under way.
    private var halving = 0

    static let maximum = 15

    /// Halvings are done in steps of this many words, so that no single write takes long.
    private static let wordsPerStep = 1024

    /// The number of hashes that the sketch is made for.
    ///
    /// Four counters a hash and row would tell them apart better, and one gives more hits on the traces of services: where
    /// two hashes share all counters, a newcomer gets in that deserves it by recency only.
    var capacity: Int { words.count * 4 }

    /// Grows to tell `count` hashes apart, with all estimates as they are.
    mutating func reserve(_ count: Int) {
        population = max(population, count)
        guard count > capacity else { return }
        finishHalving()
        if words.isEmpty { words = [UInt64](repeating: 0, count: 16) }
        // A block's number is the lower bits of the hash: both copies of a block answer for the hashes that it held.
        while capacity < count { words += words }
        halving = words.count
    }

    /// How often a hash was seen, 0 to 15.
    func frequency(_ hash: UInt64) -> Int {
        guard !words.isEmpty else { return 0 }
        var least = Self.maximum
        for row in 0..<4 {
            let (word, shift) = counter(hash, row)
            least = min(least, Int(words[word] >> shift & 15))
        }
        return least
    }

    /// Counts a hash as seen.
    mutating func add(_ hash: UInt64, times: Int = 1) {
        guard !words.isEmpty else { return }
        if halving < words.count { halveSome() }
        var most = 0
        for row in 0..<4 {
            let (word, shift) = counter(hash, row)
            let count = Int(words[word] >> shift & 15)
            let added = min(times, Self.maximum - count)
            words[word] += UInt64(added) << shift
            most = max(most, added)
        }
        additions += most
        if additions >= 10 * population, halving == words.count {
            halving = 0
            halveSome()
        }
    }

    /// Counts the hits that readers have left in a record.
    mutating func takeHits(of slot: Int, in records: EntryRecords) {
        let hits = records.hits(slot)
        guard hits > 0 else { return }
        records.setHits(slot, to: 0)
        add(records[slot].hash, times: Int(hits))
    }

    /// The word and the bit at which the hash's counter in a quarter lies.
    private func counter(_ hash: UInt64, _ row: Int) -> (word: Int, shift: UInt64) {
        let block = Int(truncatingIfNeeded: hash) & (words.count / 8 - 1)
        // Five bits a quarter from the upper half: the lower one names the block.
        let choice = hash >> UInt64(32 + row * 5)
        return (block * 8 + row * 2 + Int(choice & 1), (choice >> 1 & 15) * 4)
    }

    private mutating func halveSome() {
        let end = min(words.count, halving + Self.wordsPerStep)
        var odd = 0
        for position in halving..<end {
            odd += (words[position] & 0x1111_1111_1111_1111).nonzeroBitCount
            words[position] = words[position] >> 1 & 0x7777_7777_7777_7777
        }
        halving = end
        // Each addition moved up to four counters by one.
        additions -= odd / 4
        if halving == words.count { additions = max(0, additions) / 2 }
    }

    private mutating func finishHalving() {
        while halving < words.count { halveSome() }
    }

    /// The bytes that the sketch occupies.
    var bytes: Int { words.capacity * MemoryLayout<UInt64>.stride }
}
