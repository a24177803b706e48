internal import Glibc
internal import Synchronization

/// Which records were read since they were written, one bit for each, lossy.
///
/// Recency lives in memory because a read must not write. Two records may share a bit; that gives one of them a second
/// chance it has not earned, which costs a little of the hit rate and nothing else.
@safe
final class AccessSketch: @unchecked Sendable {
    // because: the words are atomic, and the pointer and the count never change.

    // Safety: allocated in init for `count` words, freed in deinit; indices are masked to the count.
    private let words: UnsafeMutablePointer<Atomic<UInt64>>
    private let count: Int

    /// Makes room for about as many records as half-kilobyte ones fit the budget.
    init(budget: ByteCount) {
        let bits = min(max(budget.bytes / 512, 1 << 16), 1 << 24)
        let wordCount = 1 << (Int.bitWidth - (bits / 64 - 1).leadingZeroBitCount)
        count = wordCount
        // Zeroed by the system when they are first touched: to do it here would be the longest part of opening a store.
        guard let memory = unsafe calloc(wordCount, MemoryLayout<Atomic<UInt64>>.stride) else {
            preconditionFailure("no memory for \(wordCount) words")
        }
        // Safety: an atomic zero is a zero word.
        unsafe words = memory.bindMemory(to: Atomic<UInt64>.self, capacity: wordCount)
    }

    deinit {
        unsafe free(words)
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
