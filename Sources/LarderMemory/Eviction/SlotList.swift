/// A doubly linked list of slots, threaded through the records.
struct SlotList: Sendable {
    static let none = UInt32.max

    private var head = SlotList.none
    private var tail = SlotList.none

    /// The sum of the weights that were given with the slots.
    private(set) var weight = 0
    private(set) var count = 0

    var isEmpty: Bool { head == Self.none }

    /// The slot at the tail, the one that was pushed to the front longest ago.
    var last: Int? { isEmpty ? nil : Int(tail) }

    mutating func pushFront(_ slot: Int, weight: Int, in records: EntryRecords) {
        records[slot].previous = Self.none
        records[slot].next = head
        if isEmpty { tail = UInt32(slot) } else { records[Int(head)].previous = UInt32(slot) }
        head = UInt32(slot)
        self.weight &+= weight
        count += 1
    }

    mutating func pushBack(_ slot: Int, weight: Int, in records: EntryRecords) {
        records[slot].previous = tail
        records[slot].next = Self.none
        if isEmpty { head = UInt32(slot) } else { records[Int(tail)].next = UInt32(slot) }
        tail = UInt32(slot)
        self.weight &+= weight
        count += 1
    }

    mutating func remove(_ slot: Int, weight: Int, in records: EntryRecords) {
        let previous = records[slot].previous
        let next = records[slot].next
        if previous == Self.none { head = next } else { records[Int(previous)].next = next }
        if next == Self.none { tail = previous } else { records[Int(next)].previous = previous }
        self.weight &-= weight
        count -= 1
    }

    /// Accounts for an entry that stays where it is with another weight.
    mutating func reweigh(from old: Int, to new: Int) {
        weight = weight &- old &+ new
    }
}
