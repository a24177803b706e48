/// What only writes and limits look at: changed and read on the exclusive side, or under a lane while nobody writes.
@usableFromInline
struct EntryDetails: BitwiseCopyable {
    /// When the value was written; out of date for an entry without end, whose `EntryEnd` says it.
    ///
    /// May lie before the clock's origin for an entry promoted from disk.
    @usableFromInline var written: Int64 = 0

    /// When the entry expires by the life it was given; `Int64.max` for never; out of date for an entry without end.
    @usableFromInline var expiry: Int64 = .max

    @usableFromInline var cost = 0

    @inlinable
    init(written: Int64 = 0, expiry: Int64 = .max, cost: Int = 0) {
        self.written = written
        self.expiry = expiry
        self.cost = cost
    }
}
