/// What a write brings: the dates, the cost and the hash of an entry.
@usableFromInline
struct NewEntry {
    @usableFromInline let hash: UInt64
    @usableFromInline let cost: Int
    @usableFromInline let written: Int64
    @usableFromInline let expiry: Int64
    @usableFromInline let stamp: Int64

    @inlinable
    init(hash: UInt64, cost: Int, written: Int64, expiry: Int64, stamp: Int64) {
        self.hash = hash
        self.cost = cost
        self.written = written
        self.expiry = expiry
        self.stamp = stamp
    }
}
