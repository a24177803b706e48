/// An eviction policy at work: it files slots and names the next victim.
///
/// An order sees slots, their records and hashes, never keys and values, and so can be tested without a cache. Readers do
/// not call it: they leave stamps and, where `countsHits` says so, hit counts in the records, which the order looks at when
/// something has to leave.
protocol EvictionOrder: Sendable {
    /// Whether readers must count hits in the records.
    var countsHits: Bool { get }

    /// Whether the order must be told of replacements.
    var filesReplacements: Bool { get }

    /// The bytes that the order occupies beside the records.
    var bytes: Int { get }

    /// An order of the same policy that files nothing and remembers nothing.
    func emptied() -> Self

    /// The capacity changed, in the units of `weight`; `Int.max` for none.
    mutating func resize(to capacity: Int)

    /// A key that is not in the cache is about to be inserted, before room is made for it.
    mutating func prepare(hash: UInt64, weight: Int)

    /// Files a new entry.
    ///
    /// Its record has hash, cost and stamp; `segment` must be set to something other than free.
    mutating func insert(_ slot: Int, weight: Int, in records: EntryRecords)

    /// An entry got a new value: to be taken as an access.
    mutating func replace(_ slot: Int, oldWeight: Int, newWeight: Int, in records: EntryRecords)

    /// Forgets an entry that leaves for another reason than eviction.
    mutating func remove(_ slot: Int, weight: Int, in records: EntryRecords)

    /// Takes the entry that should leave first out of the order; `nil` when the order is empty.
    mutating func popVictim(in records: EntryRecords, weight: (Int) -> Int) -> Int?

    /// Files an entry again that `popVictim` gave out and that stays after all, where it was.
    mutating func putBack(_ slot: Int, weight: Int, in records: EntryRecords)
}

extension EvictionOrder {
    var countsHits: Bool { false }
    var filesReplacements: Bool { true }
    mutating func resize(to capacity: Int) {}
    mutating func prepare(hash: UInt64, weight: Int) {}
}

extension Int {
    /// A share of a capacity, rounded down; a capacity without bound has shares without bound.
    func share(_ fraction: Double) -> Int {
        guard self != .max else { return .max }
        let share = Double(self) * fraction
        // The nearest Double to Int.max lies above it.
        return share < 0x1p63 ? Int(share) : .max
    }
}
