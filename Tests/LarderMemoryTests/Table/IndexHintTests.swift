import Synchronization
import Testing

@testable import LarderMemory

struct IndexHintTests {
    private func hash(_ slot: Int) -> UInt64 { UInt64(slot) &* 0x9E37_79B9_7F4A_7C15 }

    @Test("the hint follows the index as it grows and names its cells and their number")
    func following() {
        var index = SlotIndex()
        let hint = IndexHint()
        // Nothing to follow yet: the prefetch of an address that is not mapped does nothing.
        hint.prefetch(0x1234_5678_9ABC_DEF0)
        for slot in 0..<1000 {
            if index.isFull { index.grow((0..<slot).map { ($0, hash($0)) }) }
            index.insert(slot, hash: hash(slot))
            hint.follow(index)
            let word = hint.word.load(ordering: .relaxed)
            #expect(unsafe word & ~63 == UInt(bitPattern: index.cells))
            #expect(1 << Int(word & 63) == index.mask + 1)
        }
        hint.prefetch(7)
    }

    @Test("the hint of a cache follows growth and removeAll")
    func cache() {
        let cache = MemoryCache<Int, Int>()
        for key in 0..<500 { cache[key] = key }
        #expect(unsafe cache.indexHint.word.load(ordering: .relaxed) == cache.state.pointee.table.index.place)
        cache.removeAll()
        #expect(unsafe cache.indexHint.word.load(ordering: .relaxed) == cache.state.pointee.table.index.place)
        #expect(cache[3] == nil)
    }
}
