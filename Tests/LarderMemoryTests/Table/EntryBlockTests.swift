import Synchronization
import Testing

@testable import LarderMemory

struct EntryBlockTests {
    @Test("a larger table has every header, every detail and every live pair of the smaller one")
    func growth() {
        let block = EntryBlock<Int, String>(capacity: 4)
        let records = EntryRecords(block.memory)
        for slot in 0..<4 {
            let stamp = Int64(slot + 10) * AccessStamp.step
            records.setStamp(slot, to: stamp)
            records.setHits(slot, to: UInt8(slot) + 1)
            unsafe records.header(slot).pointee.end = EntryEnd(at: Int64(slot) + 40)
            unsafe records.details(slot).pointee = EntryDetails(written: Int64(slot) + 30, expiry: 50, cost: slot + 20)
            records[slot].hash = UInt64(slot) + 60
        }
        for slot in [0, 2, 3] {
            unsafe block.pair(slot).initialize(to: .init(key: slot, value: "a value too long to lie inline: \(slot)"))
        }
        let larger = EntryBlock<Int, String>(capacity: 8)
        block.move(to: larger, liveSlots: [0, 2, 3])
        let grown = records.grown(for: larger.memory)
        for slot in 0..<4 {
            #expect(grown.stamp(slot) == Int64(slot + 10) * AccessStamp.step)
            #expect(grown.hits(slot) == UInt8(slot) + 1)
            #expect(unsafe grown.header(slot).pointee.end.deadline == Int64(slot) + 40)
            #expect(unsafe grown.details(slot).pointee.written == Int64(slot) + 30)
            #expect(unsafe grown.details(slot).pointee.expiry == 50)
            #expect(grown.cost(slot) == slot + 20)
            #expect(grown[slot].hash == UInt64(slot) + 60)
        }
        for slot in [0, 2, 3] {
            #expect(unsafe larger.pair(slot).pointee.value == "a value too long to lie inline: \(slot)")
            unsafe larger.pair(slot).deinitialize(count: 1)
        }
        grown.deallocate()
    }

    @Test("slots lie without gaps beyond what alignment asks for")
    func strides() {
        #expect(EntryBlock<Int, Int>.stride == 32)
        #expect(EntryBlock<String, Int>.stride == 40)
        #expect(EntryBlock<String, String>.stride == 48)
        #expect(EntryBlock<UInt8, UInt8>.stride == 24)
        #expect(EntryBlock<UInt8, SIMD8<Double>>.stride == 96)
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
