internal import Glibc
public import Synchronization

/// The boards on which readers announce themselves, picked by thread.
@usableFromInline
@safe
struct ReaderLanes: @unchecked Sendable {
    // because: the pointer is set once and every field behind it that threads share is atomic.

    // Safety: `base` points to `mask + 1` initialised lanes from `allocate` until `deallocate`, which only the owner's
    // deinit calls.
    @usableFromInline let base: UnsafeMutablePointer<ReaderLane>
    @usableFromInline let mask: Int

    /// Twice the processors, so that two running threads seldom meet in a lane, but few enough to scan in a write.
    static func allocate() -> ReaderLanes {
        let processors = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        var count = 4
        while count < min(64, processors * 2) { count *= 2 }
        let base = UnsafeMutablePointer<ReaderLane>.allocate(capacity: count)
        for lane in 0..<count { unsafe (base + lane).initialize(to: ReaderLane()) }
        return unsafe ReaderLanes(base: base, mask: count - 1)
    }

    private init(base: UnsafeMutablePointer<ReaderLane>, mask: Int) {
        unsafe self.base = unsafe base
        self.mask = mask
    }

    func deallocate() {
        unsafe base.deinitialize(count: mask + 1)
        unsafe base.deallocate()
    }

    @inlinable
    var indices: Range<Int> { 0..<(mask + 1) }

    /// Announces the thread in the first free lane from its own; `nil` when all are taken.
    ///
    /// Sequentially consistent, because a reader that announces itself and then looks at the gate must not miss a writer
    /// that closes the gate and then looks at the lanes (Dekker's pattern: store, then load, on both sides).
    @inlinable
    @inline(__always)
    func enter(_ token: UInt) -> Int? {
        // Stacks, and with them the tokens, lie pages apart: the low bits say nothing.
        let home = Int(truncatingIfNeeded: (UInt64(token) &>> 12) &* 0x9E37_79B9_7F4A_7C15 &>> 40) & mask
        if tryEnter(home, token) { return home }
        for step in 1...mask where tryEnter((home &+ step) & mask, token) { return (home &+ step) & mask }
        return nil
    }

    @inlinable
    @inline(__always)
    func tryEnter(_ lane: Int, _ token: UInt) -> Bool {
        unsafe base[lane].announced.compareExchange(
            expected: 0,
            desired: token,
            ordering: .sequentiallyConsistent
        ).exchanged
    }

    /// Takes the announcement back; releasing, so that a writer that sees the lane free sees the reads as done.
    @inlinable
    @inline(__always)
    func leave(_ lane: Int) {
        unsafe base[lane].announced.store(0, ordering: .releasing)
    }

    /// The lane in which this very thread is announced, if any: it reads on a stack frame further up.
    func lane(of token: UInt) -> Int? {
        indices.first { unsafe base[$0].announced.load(ordering: .relaxed) == token }
    }

    /// Whether no reader is announced.
    ///
    /// Sequentially consistent for the reason given at `enter`.
    @inlinable
    func areAllFree() -> Bool {
        var lane = 0
        while lane <= mask {
            guard unsafe base[lane].announced.load(ordering: .sequentiallyConsistent) == 0 else { return false }
            lane &+= 1
        }
        return true
    }

    /// The newest access stamp of all lanes.
    @inlinable
    var newestStamp: Int64 {
        var newest: Int64 = 0
        var lane = 0
        while lane <= mask {
            newest = unsafe max(newest, base[lane].tally.stamp.load(ordering: .relaxed))
            lane &+= 1
        }
        return newest
    }

    /// Whether the lane is free, as a writer that waits for its reader to leave asks.
    func isFree(_ lane: Int) -> Bool {
        unsafe base[lane].announced.load(ordering: .sequentiallyConsistent) == 0
    }

    /// Runs `body` with the tally of a lane.
    @inlinable
    @inline(__always)
    func withTally<R>(_ lane: Int, _ body: (borrowing LaneTally) -> R) -> R {
        unsafe body(base[lane].tally)
    }
}
