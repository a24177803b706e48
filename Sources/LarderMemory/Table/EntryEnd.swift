/// When an entry is dead however often it is read; or, of one that never is, when it was written: one word.
///
/// Words from `firstEndless` on stand for no end. They lie beyond every time that a clock shows, so a hit compares once and
/// need not know; and a replacement of an entry without end changes nothing but the entry's own cache lines.
@usableFromInline
struct EntryEnd: BitwiseCopyable, Hashable {
    // Computed: stored ones would be reached through a call from every client.
    @inlinable static var firstEndless: Int64 { 3 << 60 }

    /// How long before the origin of the clocks an entry may have been written: 73 years.
    @inlinable static var reachBack: Int64 { 2 << 60 }

    @usableFromInline let word: Int64

    /// The end of an entry that dies at a time; `Int64.max` is no such time.
    init(at deadline: Int64) {
        word = min(deadline, Self.firstEndless - 1)
    }

    /// No end, for an entry written at a time.
    @inlinable
    @inline(__always)
    init(endlessSince written: Int64) {
        word = Self.firstEndless &+ Self.reachBack &+ max(written, -Self.reachBack)
    }

    /// Whether the entry is dead at `now`.
    @inlinable
    @inline(__always)
    func hasPassed(at now: Int64) -> Bool { now >= word }

    @inlinable
    @inline(__always)
    var isEndless: Bool { word >= Self.firstEndless }

    /// When the entry is dead; `Int64.max` for never.
    var deadline: Int64 { isEndless ? .max : word }

    /// When an endless entry was written; `nil` for others, of which it is kept elsewhere.
    var endlessSince: Int64? { isEndless ? word - Self.firstEndless - Self.reachBack : nil }
}
