internal import CLMDB
internal import Glibc

/// What one attempt to give free pages back came to.
package struct HolePunching: Sendable, Hashable {
    /// The bytes that lost their place on the disk.
    package var punchedBytes = 0

    /// Whether every run there was has been looked at.
    package var isDone = false

    /// Whether the file system can do it at all.
    package var isSupported = true

    /// Free pages that the newest commits freed: the next commit makes them eligible.
    package var recentPages = 0

    /// Free pages that a snapshot still being read may need.
    package var pinnedPages = 0
}

extension Environment {
    /// Gives the disk space of free pages back, in runs of at least `minimumPages`; the file keeps its size.
    ///
    /// Only pages that LMDB itself could take into use again by now: no snapshot needs them, nor does the commit before the
    /// last, which a power loss may bring back. LMDB writes a page as a whole before it reads it, so that it never meets
    /// the zeros. Stops after `duration`, for punching a run takes some fifty microseconds. Only the writer thread calls
    /// this, between transactions.
    package func punchHoles(minimumPages: Int, within duration: Duration) throws(LMDBError) -> HolePunching {
        let end = ContinuousClock.now.advanced(by: duration)
        // Until it is aborted nobody, of whatever process, takes a free page into use.
        let writing = try WriteTransaction(self)
        return try punchHoles(minimumPages: minimumPages, until: end, holding: writing)
    }

    private func punchHoles(
        minimumPages: Int,
        until end: ContinuousClock.Instant,
        holding _: borrowing WriteTransaction
    ) throws(LMDBError) -> HolePunching {
        var outcome = HolePunching()
        let descriptor = descriptor
        let pages = try freePages(&outcome)
        let pageBytes = pageSize
        for run in pages.runs where run.count >= minimumPages {
            let (start, length) = (run.lowerBound * pageBytes, run.count * pageBytes)
            // Moves the descriptor's position, which LMDB sets anew before each use.
            let data = lseek(descriptor, start, Self.seekData)
            guard data >= 0, data < start + length else { continue }
            guard ContinuousClock.now < end else { return outcome }
            guard fallocate(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, start, length) == 0 else {
                guard errno == EOPNOTSUPP || errno == ENOSYS else { throw LMDBError(call: "fallocate", result: errno) }
                outcome.isSupported = false
                outcome.isDone = true
                return outcome
            }
            outcome.punchedBytes += start + length - data
        }
        outcome.isDone = true
        return outcome
    }

    /// `SEEK_DATA`, which the Glibc module leaves out.
    private static var seekData: Int32 { 3 }

    /// The free pages that may be punched; counts the others.
    private func freePages(_ outcome: inout HolePunching) throws(LMDBError) -> PageSet {
        let reader = try Reader(self)
        let oldest = try oldestReader()
        let snapshot = try reader.begin()
        var pages = PageSet(count: statistics.highWaterBytes / pageSize)
        // The list of free pages is database 0: transaction numbers, and under each the pages it freed.
        try snapshot.withCursor(in: Database(handle: 0)) { (cursor) throws(LMDBError) in
            var isThere = try cursor.move(.first)
            while isThere {
                cursor.withEntry { key, value in
                    guard key.byteCount == 8, value.byteCount >= 8 else { return }
                    let freed = unsafe key.unsafeLoadUnaligned(as: UInt64.self)
                    let count = unsafe Int(value.unsafeLoadUnaligned(as: UInt64.self))
                    // The rule of LMDB's own allocator: strictly older than the last commit and every reader.
                    guard freed < snapshot.number, freed < oldest else {
                        if freed < oldest { outcome.recentPages += count } else { outcome.pinnedPages += count }
                        return
                    }
                    for index in 0..<min(count, value.byteCount / 8 - 1) {
                        // Safety: any eight bytes are a number, and the index is within the value.
                        pages.insert(
                            unsafe Int(value.unsafeLoadUnaligned(fromByteOffset: 8 + index * 8, as: UInt64.self))
                        )
                    }
                }
                isThere = try cursor.move(.next)
            }
        }
        return pages
    }

    /// The oldest snapshot that is being read; the largest number if there is none.
    private func oldestReader() throws(LMDBError) -> UInt64 {
        var oldest = UInt64.max
        let result = unsafe withUnsafeMutablePointer(to: &oldest) { pointer in
            // LMDB lists its readers as text only: process, thread, and the snapshot's number or a dash.
            unsafe mdb_reader_list(
                handle,
                { line, context in
                    guard let line = unsafe line, let context = unsafe context else { return 0 }
                    // Safety: a terminated string for the length of the call.
                    let fields = unsafe String(cString: line).split(whereSeparator: \.isWhitespace)
                    guard fields.count == 3, let number = UInt64(fields[2]) else { return 0 }
                    // Safety: the context is the variable above, which outlives the call.
                    let oldest = unsafe context.assumingMemoryBound(to: UInt64.self)
                    unsafe oldest.pointee = min(oldest.pointee, number)
                    return 0
                },
                pointer
            )
        }
        guard result >= 0 else { throw LMDBError(call: "mdb_reader_list", result: result) }
        return oldest
    }
}

/// A set of page numbers that gives back its runs.
struct PageSet {
    private var words: [UInt64]
    private let count: Int

    init(count: Int) {
        self.count = count
        words = [UInt64](repeating: 0, count: (count + 63) / 64)
    }

    /// Adds a page; one that cannot be in the file, or is a meta page, is left out.
    mutating func insert(_ page: Int) {
        guard page >= 2, page < count else { return }
        words[page / 64] |= 1 << UInt64(page % 64)
    }

    /// The runs of neighbouring pages, ascending.
    var runs: [Range<Int>] {
        var runs: [Range<Int>] = []
        var start: Int?
        for (index, word) in words.enumerated() {
            // Most words are all free or all in use.
            if word == (start == nil ? 0 : .max) { continue }
            for bit in 0..<64 where (word >> UInt64(bit) & 1 == 1) == (start == nil) {
                let page = index * 64 + bit
                if let first = start {
                    runs.append(first..<page)
                    start = nil
                } else {
                    start = page
                }
            }
        }
        if let start { runs.append(start..<count) }
        return runs
    }
}
