import TestSupport
import Testing

@testable import LarderMemory

struct GhostQueueTests {
    @Test("the ghost queue remembers what a plain list remembers", arguments: [UInt64(3), 4])
    func model(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var queue = GhostQueue()
        var model = PlainGhost()
        for step in 0..<60_000 {
            // Few different hashes in the lower bits: long probes, gaps to close across the end of the cells.
            let hash =
                UInt64(Int.random(in: 0..<120, using: &random)) << 32 | UInt64(Int.random(in: 12..<17, using: &random))
            switch Int.random(in: 0..<100, using: &random) {
            case 0:
                let limit = Int.random(in: 0...300, using: &random)
                queue.trim(to: limit)
                model.trim(to: limit)
            case 1..<40:
                let (removed, expected) = (queue.remove(hash), model.remove(hash))
                #expect(removed == expected)
            default:
                let weight = Int.random(in: 0...9, using: &random)
                queue.insert(hash, weight: weight, weightLimit: 300, countLimit: 90)
                model.insert(hash, weight: weight, weightLimit: 300, countLimit: 90)
            }
            guard queue.weight == model.weight, queue.count == model.hashes.count else {
                Issue.record("seed \(seed), step \(step): \(queue.count) worth \(queue.weight) against \(model.hashes)")
                return
            }
        }
        let remembered = model.hashes.count { queue.remove($0.hash) }
        #expect(remembered == model.hashes.count)
        #expect(queue.count == 0)
        #expect(queue.weight == 0)
    }

    @Test("what weighs nothing is bounded by number")
    func weightless() {
        var queue = GhostQueue()
        for hash in 0..<10_000 { queue.insert(UInt64(hash), weight: 0, weightLimit: .max, countLimit: 100) }
        #expect(queue.count == 100)
        let (last, outlived) = (queue.remove(9_999), queue.remove(9_899))
        #expect(last)
        #expect(!outlived)
        #expect(queue.bytes < 100_000)
    }

    @Test("weights up to Int.max neither trap nor stay beyond the bound")
    func heavy() {
        var queue = GhostQueue()
        queue.insert(1, weight: .max, weightLimit: .max, countLimit: 10)
        queue.insert(2, weight: .max - 1, weightLimit: .max, countLimit: 10)
        #expect(queue.weight == .max - 1)
        queue.insert(3, weight: 5, weightLimit: 4, countLimit: 10)
        let found = (1...3).map { queue.remove(UInt64($0)) }
        #expect(found == [false, true, false])
    }
}
