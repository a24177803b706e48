internal import Synchronization

/// Which records were read since they were written, one bit for each, lossy.
///
/// Recency lives in memory because a read must not write. Two records may share a bit; that gives one of them a second
/// chance it has not earned, which costs a little of the hit rate and nothing else.
@safe
final class AccessSketch: @unchecked Sendable {
    // because: the words are atomic, and the pointer and the count never change.

    // Safety: allocated and initialised in init for `count` words, freed in deinit; indices are masked to the count.
    private let words: UnsafeMutablePointer<Atomic<UInt64>>
    private let count: Int

    /// Makes room for about as many records as half-kilobyte ones fit the budget.
    init(budget: ByteCount) {
        let bits = min(max(budget.bytes / 512, 1 << 16), 1 << 24)
        let wordCount = 1 << (Int.bitWidth - (bits / 64 - 1).leadingZeroBitCount)
        count = wordCount
        unsafe words = .allocate(capacity: wordCount)
        for index in 0..<wordCount { unsafe (words + index).initialize(to: Atomic(0)) }
    }

    deinit {
        unsafe words.deinitialize(count: count)
        unsafe words.deallocate()
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
        (Int(truncatingIfNeeded: hash.high >> 6) & (count - 1), 1 << (hash.high & 63))
    }
}
