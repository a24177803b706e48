import TestSupport
import Testing

@testable import LarderMemory

struct ExpiryWheelTests {
    static let tick: Int64 = 1 << 20

    /// All slots that are due, in a few calls at most.
    private func popAll(_ wheel: inout ExpiryWheel, now: Int64) -> [Int] {
        var slots: [Int] = []
        var budget = Int.max
        while let slot = wheel.popDue(now: now, budget: &budget) { slots.append(slot) }
        return slots
    }

    @Test("V54 lives of 1 to 200 ticks end in their tick, wherever the present stands")
    func edges() {
        for start in [0, 1, 62, 63, 64, 65, 127, 128, 4095, 4096, 262_143, 262_144, 16_777_215] as [Int64] {
            let now = start * Self.tick + 17
            var wheel = ExpiryWheel(now: now)
            for life in 1...200 { wheel.schedule(life, due: now + Int64(life) * Self.tick) }
            for life in 1...200 {
                let before = popAll(&wheel, now: (start + Int64(life)) * Self.tick - 1)
                #expect(before.isEmpty, "start \(start), life \(life)")
                #expect(wheel.earliestDue.map { $0 <= now + Int64(life) * Self.tick } == true)
                let due = popAll(&wheel, now: now + Int64(life) * Self.tick)
                #expect(due == [life], "start \(start), life \(life)")
            }
            #expect(wheel.isEmpty)
            #expect(wheel.earliestDue == nil)
        }
    }

    @Test("V54 a jump over any number of levels finds everything that is due")
    func jumps() {
        for bits in 0..<42 {
            var wheel = ExpiryWheel(now: 0)
            let due = Int64(1) << Int64(bits) &* Self.tick
            wheel.schedule(0, due: due - 1)
            wheel.schedule(1, due: due)
            wheel.schedule(2, due: due + Self.tick)
            wheel.schedule(3, due: .max - 1)
            #expect(Set(popAll(&wheel, now: due)) == [0, 1], "2^\(bits) ticks")
            #expect(popAll(&wheel, now: due + Self.tick) == [2])
            #expect(popAll(&wheel, now: .max) == [3])
            #expect(wheel.isEmpty)
        }
    }

    @Test("times before the origin are due at once, and never is never")
    func limits() {
        var wheel = ExpiryWheel(now: -5_000_000)
        wheel.schedule(0, due: .min)
        wheel.schedule(1, due: -1)
        wheel.schedule(2, due: .max)
        wheel.schedule(3, due: 0)
        #expect(Set(popAll(&wheel, now: -4_000_000)) == [0, 1, 3])
        #expect(popAll(&wheel, now: .max - 1).isEmpty)
        #expect(wheel.isEmpty)
        // The present never goes back; what is scheduled before it is due.
        wheel.schedule(4, due: 5)
        #expect(popAll(&wheel, now: 0) == [4])
    }

    @Test("a slot scheduled for later stays where it is until it comes out, one for earlier moves")
    func again() {
        var wheel = ExpiryWheel(now: 0)
        wheel.schedule(0, due: 10 * Self.tick)
        wheel.schedule(0, due: 1000 * Self.tick)
        #expect(wheel.earliestDue.map { $0 <= 10 * Self.tick } == true)
        #expect(popAll(&wheel, now: 10 * Self.tick) == [0])
        #expect(wheel.isEmpty)
        wheel.schedule(0, due: 1000 * Self.tick)
        #expect(popAll(&wheel, now: 999 * Self.tick).isEmpty)
        wheel.schedule(0, due: 999 * Self.tick)
        #expect(popAll(&wheel, now: 999 * Self.tick) == [0])
        // Never is not later: nothing is left behind.
        wheel.schedule(0, due: 2000 * Self.tick)
        wheel.schedule(0, due: .max)
        #expect(wheel.isEmpty)
        #expect(wheel.earliestDue == nil)
    }

    @Test("one call does no more than its budget, and the next goes on")
    func budget() {
        var wheel = ExpiryWheel(now: 0)
        for slot in 0..<10_000 { wheel.schedule(slot, due: 5000 * Self.tick) }
        var found: Set<Int> = []
        var calls = 0
        while !wheel.isEmpty {
            var budget = 100
            while let slot = wheel.popDue(now: 5000 * Self.tick, budget: &budget) { found.insert(slot) }
            #expect(budget == 0 || wheel.isEmpty)
            #expect(budget >= 0)
            calls += 1
            // Each entry goes down a level at a time: from the third to the second to the first, and out.
            #expect(calls <= 10_000 * 3 / 100 + 10)
            if calls > 1000 { break }
        }
        #expect(found.count == 10_000)
    }

    @Test("random schedules, cancellations and advances agree with a plain model", arguments: [UInt64(5), 6, 7])
    func model(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var now: Int64 = Int64.random(in: 0..<1 << 50, using: &random)
        var wheel = ExpiryWheel(now: now)
        var dues: [Int: Int64] = [:]
        /// Slots that may come out before they are due.
        var deferred: Set<Int> = []
        for step in 0..<20_000 {
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<55:
                let slot = Int.random(in: 0..<300, using: &random)
                // Of all magnitudes, into the past too.
                let life = Int64.random(in: -50...1 << Int64.random(in: 1...52, using: &random), using: &random)
                let due = Int.random(in: 0..<20, using: &random) == 0 ? .max : now + life
                wheel.schedule(slot, due: due)
                if due == .max { deferred.remove(slot) } else if due > dues[slot] ?? .max { deferred.insert(slot) }
                dues[slot] = due == .max ? nil : due
            case 55..<75:
                let slot = Int.random(in: 0..<400, using: &random)
                wheel.cancel(slot)
                dues[slot] = nil
                deferred.remove(slot)
            default:
                now += Int64.random(in: 0...1 << Int64.random(in: 1...48, using: &random), using: &random)
                // Sometimes not to the end: what is left must come later.
                var budget = Int.random(in: 0..<4, using: &random) == 0 ? 5 : Int.max
                var early: [Int] = []
                while let slot = wheel.popDue(now: now, budget: &budget) {
                    guard let due = dues[slot] else {
                        Issue.record("seed \(seed), step \(step): slot \(slot) came out and is not scheduled")
                        return
                    }
                    if due >> 20 <= now >> 20 {
                        dues[slot] = nil
                    } else if deferred.contains(slot) {
                        early.append(slot)
                    } else {
                        Issue.record("seed \(seed), step \(step): slot \(slot) came out and is not due")
                        return
                    }
                    deferred.remove(slot)
                }
                for slot in early { wheel.schedule(slot, due: dues[slot] ?? .max) }
                if budget > 0, let late = dues.first(where: { $0.value <= now }) {
                    Issue.record("seed \(seed), step \(step): slot \(late.key) is due and did not come out")
                    return
                }
            }
            guard wheel.isEmpty == dues.isEmpty else {
                Issue.record("seed \(seed), step \(step): the wheel holds other entries than the model")
                return
            }
            if let earliest = dues.values.min() {
                #expect(wheel.earliestDue.map { $0 <= max(earliest, now) } == true)
            } else {
                #expect(wheel.earliestDue == nil)
            }
        }
    }
}
