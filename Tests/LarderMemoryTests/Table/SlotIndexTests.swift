import TestSupport
import Testing

@testable import LarderMemory

struct SlotIndexTests {
    @Test("the index agrees with a dictionary over random insertions and removals", arguments: [UInt64(21), 22])
    func model(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var index = SlotIndex()
        var hashes: [Int: UInt64] = [:]
        for step in 0..<60_000 {
            let slot = Int.random(in: 0..<2000, using: &random)
            if let hash = hashes.removeValue(forKey: slot) {
                index.remove(slot, hash: hash)
                #expect(index.slot(of: hash) { $0 == slot } == nil)
            } else {
                // Of four kinds: well mixed, close together, at the end of the cells, and all alike.
                let hash: UInt64 =
                    switch slot % 4 {
                    case 0: random.next()
                    case 1: UInt64(slot)
                    case 2: UInt64.max - UInt64(slot % 40)
                    default: slot < 200 ? 0xABCD : random.next()
                    }
                index.insert(slot, hash: hash)
                hashes[slot] = hash
            }
            guard index.count == hashes.count else {
                Issue.record("seed \(seed), step \(step): \(index.count) cells for \(hashes.count) slots")
                return
            }
            if step % 4000 == 0 {
                for (slot, hash) in hashes { #expect(index.slot(of: hash) { $0 == slot } == slot) }
            }
        }
        for (slot, hash) in hashes { index.remove(slot, hash: hash) }
        #expect(index.count == 0)
        #expect(index.slot(of: 0xABCD) { _ in true } == nil)
    }

    @Test("only slots whose hash has the same lower half are compared")
    func comparisons() {
        var index = SlotIndex()
        for slot in 0..<1000 { index.insert(slot, hash: UInt64(slot) << 32 | UInt64(slot % 500)) }
        var compared: [Int] = []
        let found = index.slot(of: 7) { slot in
            compared.append(slot)
            return false
        }
        #expect(found == nil)
        #expect(compared.sorted() == [7, 507])
    }

    @Test("it grows with what it holds and stays below a few cells an entry")
    func size() {
        var index = SlotIndex()
        for slot in 0..<10_000 { index.insert(slot, hash: UInt64(slot) &* 0x9E37_79B9_7F4A_7C15) }
        #expect(index.bytes >= 10_000 * 8)
        #expect(index.bytes <= 10_000 * 8 * 4)
    }
}
