/// An eviction policy in its plainest form, over arrays, to compare an `EvictionOrder` with.
protocol PlainOrder {
    mutating func resize(to capacity: Int)
    mutating func prepare(hash: UInt64, weight: Int)
    mutating func insert(_ slot: Int, hash: UInt64, weight: Int)
    mutating func hit(_ slot: Int)
    mutating func replace(_ slot: Int, weight: Int)
    mutating func remove(_ slot: Int)
    mutating func popVictim() -> Int?
    mutating func putBack(_ slot: Int)
}

extension PlainOrder {
    mutating func resize(to capacity: Int) {}
    mutating func prepare(hash: UInt64, weight: Int) {}
    mutating func replace(_ slot: Int, weight: Int) { hit(slot) }
}

extension Array where Element: Equatable {
    mutating func take(_ element: Element) {
        if let position = firstIndex(of: element) { remove(at: position) }
    }
}
