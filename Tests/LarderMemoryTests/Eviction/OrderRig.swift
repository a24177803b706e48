import Synchronization
import TestSupport

@testable import LarderMemory

/// Drives an order and its plain model side by side, without a cache around them.
final class OrderRig {
    struct Mismatch: Error, CustomStringConvertible {
        let description: String
    }

    private var order: any EvictionOrder
    private var model: any PlainOrder
    private var random: SeededRandom
    private let heaviest: Int

    private let block = EntryBlock<Int, Int>(capacity: 256)
    private let records: EntryRecords

    private var capacity = 0
    private var total = 0
    private var stamp: Int64 = 0
    private var slotOfKey: [UInt64: Int] = [:]
    private var keyOfSlot: [Int: UInt64] = [:]
    private var free: [Int]
    private(set) var evictions = 0
    private(set) var hits = 0

    init(_ policy: EvictionPolicy, model: any PlainOrder, seed: UInt64, heaviest: Int) {
        order = policy.makeOrder()
        self.model = model
        random = SeededRandom(seed: seed)
        self.heaviest = heaviest
        records = EntryRecords(block.memory)
        free = Array((0..<block.capacity).reversed())
        resize(to: 40)
    }

    deinit {
        records.deallocate()
    }

    /// Runs random operations, then evicts everything.
    func run(steps: Int) throws {
        for _ in 0..<steps {
            switch Int.random(in: 0..<1000, using: &random) {
            case 0: try shrink(to: Int.random(in: 1...80, using: &random))
            case 1..<30: remove()
            case 30..<100: try replace()
            case 100..<110: try trim()
            default: try access()
            }
        }
        while !slotOfKey.isEmpty { release(try popVictim()) }
        guard order.popVictim(in: records, weight: { _ in 0 }) == nil else {
            throw Mismatch(description: "the order named a victim with nothing left")
        }
    }

    // MARK: Operations

    private func access() throws {
        // Skewed: the product of two uniform numbers prefers small ones.
        let key = UInt64(Int.random(in: 1...16, using: &random) * Int.random(in: 1...12, using: &random))
        if let slot = slotOfKey[key] {
            stamp += AccessStamp.step
            records.setStamp(slot, to: stamp)
            if order.countsHits { records.countHit(slot) }
            model.hit(slot)
            hits += 1
            return
        }
        let weight = Int.random(in: heaviest == 1 ? 1...1 : 0...min(heaviest, capacity), using: &random)
        var mixer = SeededRandom(seed: key)
        let hash = mixer.next()
        order.prepare(hash: hash, weight: weight)
        model.prepare(hash: hash, weight: weight)
        while total + weight > capacity || free.isEmpty { release(try popVictim()) }
        guard let slot = free.popLast() else { throw Mismatch(description: "no slot is free") }
        stamp += AccessStamp.step
        records.setStamp(slot, to: stamp)
        unsafe records.details(slot).pointee.cost = weight
        records[slot].hash = hash
        order.insert(slot, weight: weight, in: records)
        model.insert(slot, hash: hash, weight: weight)
        slotOfKey[key] = slot
        keyOfSlot[slot] = key
        total += weight
    }

    /// Gives an entry another weight, for which others may have to leave, but not itself.
    private func replace() throws {
        guard let slot = anySlot() else { return }
        let old = records.cost(slot)
        let new = heaviest == 1 ? 1 : Int.random(in: 0...min(heaviest, capacity), using: &random)
        while total - old + new > capacity {
            let victim = try popVictim()
            guard victim == slot else {
                release(victim)
                continue
            }
            let other = try popVictim()
            order.putBack(slot, weight: old, in: records)
            model.putBack(slot)
            release(other)
        }
        stamp += AccessStamp.step
        records.setStamp(slot, to: stamp)
        unsafe records.details(slot).pointee.cost = new
        if order.filesReplacements { order.replace(slot, oldWeight: old, newWeight: new, in: records) }
        model.replace(slot, weight: new)
        total += new - old
    }

    private func remove() {
        guard let slot = anySlot() else { return }
        order.remove(slot, weight: records.cost(slot), in: records)
        model.remove(slot)
        release(slot)
    }

    private func trim() throws {
        for _ in 0..<min(3, slotOfKey.count) { release(try popVictim()) }
    }

    private func shrink(to capacity: Int) throws {
        resize(to: capacity)
        while total > capacity { release(try popVictim()) }
    }

    private func resize(to capacity: Int) {
        self.capacity = capacity
        order.resize(to: capacity)
        model.resize(to: capacity)
    }

    // MARK: Bookkeeping

    private func popVictim() throws -> Int {
        let records = records
        let victim = order.popVictim(in: records) { records.cost($0) }
        let expected = model.popVictim()
        guard let victim, victim == expected else {
            throw Mismatch(
                description:
                    "the order gave out \(String(describing: victim)), the model \(String(describing: expected)) "
                    + "after \(evictions) evictions and \(stamp) accesses"
            )
        }
        evictions += 1
        return victim
    }

    private func release(_ slot: Int) {
        total -= records.cost(slot)
        if let key = keyOfSlot.removeValue(forKey: slot) { slotOfKey[key] = nil }
        records[slot].segment = EntryRecord.free
        records[slot].position = 0
        free.append(slot)
    }

    private func anySlot() -> Int? {
        // In a fixed order, so that a seed gives the same run each time.
        keyOfSlot.keys.sorted().randomElement(using: &random)
    }
}
