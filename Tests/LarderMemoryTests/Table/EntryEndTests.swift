import Testing

@testable import LarderMemory

struct EntryEndTests {
    @Test("an end passes when it is reached", arguments: [0, 1, 1_000_000_000, CacheClock.limit])
    func ending(deadline: Int64) {
        let end = EntryEnd(at: deadline)
        #expect(!end.isEndless)
        #expect(end.deadline == deadline)
        #expect(end.endlessSince == nil)
        #expect(end.hasPassed(at: deadline))
        #expect(!end.hasPassed(at: deadline - 1))
    }

    @Test("an end beyond every clock stays an end and is never reached")
    func farEnd() {
        let end = EntryEnd(at: .max - 1)
        #expect(!end.isEndless)
        #expect(!end.hasPassed(at: CacheClock.limit))
    }

    @Test("no end keeps the time of the write", arguments: [-EntryEnd.reachBack, -1, 0, 5, CacheClock.limit])
    func endless(written: Int64) {
        let end = EntryEnd(endlessSince: written)
        #expect(end.isEndless)
        #expect(end.endlessSince == written)
        #expect(end.deadline == .max)
        #expect(!end.hasPassed(at: CacheClock.limit))
    }

    @Test("a write further back than clocks reach counts as that far back")
    func clamped() {
        #expect(EntryEnd(endlessSince: .min).endlessSince == -EntryEnd.reachBack)
    }
}
