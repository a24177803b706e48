internal import Glibc
internal import Synchronization

/// Which records were read since they were written, one bit for each, lossy.
///
/// Recency lives in memory because a read must not write. Two records may share a bit; that gives one of them a second
/// chance it has not earned, which costs a little of the hit rate and nothing else. There are some eight bits to a record:
/// with more, each read would miss the processor's caches here, too.
@safe
final class AccessSketch: @unchecked Sendable {
    // because: the words are atomic, and the pointer and the limit never change.

    // Safety: allocated in init for `limit` words, freed in deinit; indices are masked to `used`, which is never more.
    private let words: UnsafeMutablePointer<Atomic<UInt64>>
    /// The most words there can be.
    let limit: Int
    /// The words in use, a power of two.
    private let used: Atomic<Int>

    /// Makes room for as many records as there are, and in the end for about as many as half-kilobyte ones fit the budget.
    init(budget: ByteCount, records: Int) {
        limit = Self.words(ofBits: min(max(budget.bytes / 512, 1 << 16), 1 << 24))
        used = Atomic(min(Self.words(forRecords: records), limit))
        // Zeroed by the system when they are first touched: to do it here would be the longest part of opening a store.
        guard let memory = unsafe calloc(limit, MemoryLayout<Atomic<UInt64>>.stride) else {
            preconditionFailure("no memory for \(limit) words")
        }
        // Safety: an atomic zero is a zero word.
        unsafe words = memory.bindMemory(to: Atomic<UInt64>.self, capacity: limit)
    }

    deinit {
        unsafe free(words)
    }

    private static func words(forRecords records: Int) -> Int { words(ofBits: max(records, 1 << 10) * 8) }

    /// The power of two of words that have at least so many bits.
    private static func words(ofBits bits: Int) -> Int {
        1 << (Int.bitWidth - (bits / 64 - 1).leadingZeroBitCount)
    }

    /// Notes that a record was read.
    func note(_ hash: RecordHash) {
        let (index, bit) = place(hash)
        // Read first: a hot record's bit is set already, and a plain read does not take the cache line away from others.
        guard unsafe words[index].load(ordering: .relaxed) & bit == 0 else { return }
        unsafe words[index].bitwiseOr(bit, ordering: .relaxed)
    }

    /// Whether a record was read since its bit was last taken; takes the bit.
    func take(_ hash: RecordHash) -> Bool {
        let (index, bit) = place(hash)
        return unsafe words[index].bitwiseAnd(~bit, ordering: .relaxed).oldValue & bit != 0
    }

    private func place(_ hash: RecordHash) -> (index: Int, bit: UInt64) {
        (Int(truncatingIfNeeded: hash.high >> 6) & (used.load(ordering: .relaxed) - 1), 1 << (hash.high & 63))
    }

    /// Makes room for more records; for one thread at a time.
    ///
    /// A read that is noted in the middle of this may be lost.
    func fit(records: Int) {
        let wanted = min(Self.words(forRecords: records), limit)
        while true {
            let count = used.load(ordering: .relaxed)
            guard count < wanted else { return }
            // A record's new place differs from the old one in its highest bit: whichever it is, its bit is there.
            for index in 0..<count {
                let word = unsafe words[index].load(ordering: .relaxed)
                if word != 0 { unsafe words[count + index].bitwiseOr(word, ordering: .relaxed) }
            }
            used.store(2 * count, ordering: .relaxed)
        }
    }

    /// The words in use.
    var content: [UInt64] {
        (0..<used.load(ordering: .relaxed)).map { unsafe words[$0].load(ordering: .relaxed) }
    }

    /// Adds what another sketch held, whose words were a power of two.
    func add(_ content: [UInt64]) {
        let count = used.load(ordering: .relaxed)
        for index in 0..<max(count, content.count) {
            let word = content[index & (content.count - 1)]
            if word != 0 { unsafe words[index & (count - 1)].bitwiseOr(word, ordering: .relaxed) }
        }
    }
}
