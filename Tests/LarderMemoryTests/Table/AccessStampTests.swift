import Synchronization
import Testing

@testable import LarderMemory

struct AccessStampTests {
    @Test("stamps go on within a granule, with the clock beyond it, and never carry hits")
    func order() {
        var stamp = AccessStamp.next(after: 0, at: 5 * AccessStamp.granule + 7)
        #expect(stamp == 5 * AccessStamp.granule)
        for _ in 0..<10_000 {
            let next = AccessStamp.next(after: stamp, at: 5 * AccessStamp.granule + 9)
            #expect(next > stamp)
            #expect(AccessStamp.hits(next) == 0)
            stamp = next
        }
        // The count ran over into the time, which the clock overtakes again.
        #expect(AccessStamp.time(stamp) == 7 * AccessStamp.granule)
        #expect(AccessStamp.next(after: stamp, at: 9 * AccessStamp.granule) == 9 * AccessStamp.granule)
    }

    @Test("an entry counts hits up to fifteen and keeps the date apart from them")
    func hits() {
        let header = EntryHeader()
        for round in 1...20 {
            header.touchAndCount(Int64(round) * AccessStamp.step)
            let word = header.stamp.load(ordering: .relaxed)
            #expect(AccessStamp.hits(word) == Int64(min(round, 15)))
            #expect(AccessStamp.withoutHits(word) == Int64(round) * AccessStamp.step)
        }
    }
}
