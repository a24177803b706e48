import Synchronization
import Testing

@testable import LarderMemory

struct EntryBlockTests {
    @Test("a larger block has every header and every live pair of the smaller one")
    func growth() {
        let block = EntryBlock<Int, String>(capacity: 4)
        for slot in 0..<4 {
            let header = unsafe block.header(slot)
            unsafe header.pointee.stamp.store(Int64(slot) + 10, ordering: .relaxed)
            unsafe header.pointee.hits.store(UInt8(slot) + 1, ordering: .relaxed)
            unsafe header.pointee.cost = slot + 20
            unsafe header.pointee.written = Int64(slot) + 30
            unsafe header.pointee.expiry = Int64(slot) + 40
        }
        for slot in [0, 2, 3] {
            unsafe block.pair(slot).initialize(to: .init(key: slot, value: "a value too long to lie inline: \(slot)"))
        }
        let larger = EntryBlock<Int, String>(capacity: 8)
        block.move(to: larger, liveSlots: [0, 2, 3])
        for slot in 0..<4 {
            let header = unsafe larger.header(slot)
            #expect(unsafe header.pointee.stamp.load(ordering: .relaxed) == Int64(slot) + 10)
            #expect(unsafe header.pointee.hits.load(ordering: .relaxed) == UInt8(slot) + 1)
            #expect(unsafe header.pointee.cost == slot + 20)
            #expect(unsafe header.pointee.written == Int64(slot) + 30)
            #expect(unsafe header.pointee.expiry == Int64(slot) + 40)
        }
        for slot in [0, 2, 3] {
            #expect(unsafe larger.pair(slot).pointee.value == "a value too long to lie inline: \(slot)")
            unsafe larger.pair(slot).deinitialize(count: 1)
        }
    }

    @Test("hits from before the table grew still count", arguments: [EvictionPolicy.lru, .clock])
    func recency(policy: EvictionPolicy) {
        let cache = MemoryCache<Int, Int>(configuration: .init(policy: policy))
        for key in 0..<16 { cache[key] = key }
        #expect(cache[0] == 0)
        for key in 16..<500 { cache[key] = key }
        cache.trim(toCount: 485)
        #expect(cache.contains(0))
        #expect(!cache.contains(1))
    }
}
