import TestSupport
import Testing

@testable import LarderMemory

/// An index and what it must hold.
private struct CheckedIndex: ~Copyable {
    var index = SlotIndex()
    private(set) var hashes: [Int: UInt64] = [:]

    mutating func insert(_ slot: Int, hash: UInt64) {
        if index.isFull { index.grow(hashes.map { ($0.key, $0.value) }) }
        index.insert(slot, hash: hash)
        hashes[slot] = hash
    }

    mutating func remove(_ slot: Int) {
        guard let hash = hashes[slot] else { return }
        index.remove(slot, hash: hash) { [hashes] in hashes[$0] ?? 0 }
        hashes[slot] = nil
        #expect(index.slot(of: hash) { $0 == slot } == nil)
    }

    func check() {
        #expect(index.count == hashes.count)
        let lost = hashes.filter { slot, hash in index.slot(of: hash) { $0 == slot } != slot }
        #expect(lost.isEmpty)
    }

    /// The slots that are compared in a search for a hash.
    func compared(_ hash: UInt64) -> [Int] {
        var compared: [Int] = []
        let found = index.slot(of: hash) { slot in
            compared.append(slot)
            return false
        }
        #expect(found == nil)
        return compared.sorted()
    }
}

struct SlotIndexTests {
    @Test("the index agrees with a dictionary over random insertions and removals", arguments: [UInt64(21), 22])
    func model(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var checked = CheckedIndex()
        for step in 0..<60_000 {
            let slot = Int.random(in: 0..<2000, using: &random)
            if checked.hashes[slot] != nil {
                checked.remove(slot)
            } else {
                // Slots are numbered from the lowest free one, so never beyond what was in use at once.
                let slot = slot < checked.hashes.count ? slot : checked.hashes.count
                guard checked.hashes[slot] == nil else { continue }
                // Of four kinds: well mixed, close together, at the end of the cells, and all alike.
                let hash: UInt64 =
                    switch slot % 4 {
                    case 0: random.next()
                    case 1: UInt64(slot)
                    case 2: UInt64.max - UInt64(slot % 40)
                    default: slot < 200 ? 0xABCD : random.next()
                    }
                checked.insert(slot, hash: hash)
            }
            if step % 2000 == 0 { checked.check() }
        }
        checked.check()
        for slot in checked.hashes.keys { checked.remove(slot) }
        checked.check()
        #expect(checked.compared(0xABCD) == [])
    }

    @Test("cells farther from home than they can say keep their places when others go")
    func crowd() {
        var checked = CheckedIndex()
        // A hundred at one place, a hundred behind them.
        for slot in 0..<200 { checked.insert(slot, hash: slot.isMultiple(of: 2) ? 3 : 5) }
        checked.check()
        for slot in stride(from: 0, to: 200, by: 3) {
            checked.remove(slot)
            checked.check()
        }
    }

    @Test("only slots are compared whose search begins at the same cell and whose hash has the same high bits")
    func comparisons() {
        var checked = CheckedIndex()
        for slot in 0..<6 { checked.insert(slot, hash: UInt64(slot % 3) << 61 | 7) }
        for slot in 6..<12 { checked.insert(slot, hash: UInt64(slot % 3) << 61 | 8) }
        #expect(checked.compared(2 << 61 | 7) == [2, 5])
        #expect(checked.compared(2 << 61 | 8) == [8, 11])
        #expect(checked.compared(7 << 61 | 7) == [])
        #expect(checked.compared(2 << 61 | 9) == [])
    }

    @Test("it grows with what it holds and stays below a few cells an entry")
    func size() {
        var checked = CheckedIndex()
        for slot in 0..<10_000 { checked.insert(slot, hash: UInt64(slot) &* 0x9E37_79B9_7F4A_7C15) }
        #expect(checked.index.bytes >= 10_000 * 5)
        #expect(checked.index.bytes <= 10_000 * 10)
    }
}
