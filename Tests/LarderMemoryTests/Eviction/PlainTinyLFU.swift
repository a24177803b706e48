@testable import LarderMemory

/// `TinyLFUOrder` over arrays: parts are searched for their oldest access instead of being kept in order.
///
/// The sketch is the real one, which has tests of its own.
struct PlainTinyLFU: PlainOrder {
    enum Part {
        case window
        case probation
        case protected
    }

    struct Entry {
        let hash: UInt64
        var weight: Int
        var hits = 0
        var part = Part.window
        var lastAccess: Int
    }

    private var entries: [Int: Entry] = [:]
    // Tail first.
    private var probation: [Int] = []
    private var sketch = FrequencySketch()
    private var lostByWindow = PlainGhost()
    private var lostByMain = PlainGhost()

    private let adapts: Bool
    private var share: Double
    private var capacity = 0
    private var incoming: Int?
    private var luck: UInt64 = 0
    private var accesses = 0
    private var hand = 0
    private var slotBound = 0
    private var taken: [Int: Entry] = [:]

    init(window: Double?) {
        adapts = window == nil
        share = window ?? 0.2
    }

    private var windowCapacity: Int { max(1, Int(Double(capacity) * share)) }
    private var mainCapacity: Int { max(0, capacity - windowCapacity) }

    mutating func resize(to capacity: Int) {
        self.capacity = capacity
        lostByWindow.trim(to: Int(Double(mainCapacity) * 0.25))
        lostByMain.trim(to: Int(Double(windowCapacity) * 0.25))
    }

    mutating func prepare(hash: UInt64, weight: Int) {
        incoming = weight
        luck = (luck ^ hash) &* 0x9E37_79B9_7F4A_7C15
        sketch.reserve(entries.count + 1)
        sketch.add(hash)
        guard adapts else { return }
        let step = Double(weight) / Double(capacity)
        if lostByWindow.remove(hash) {
            share = min(0.99, share + step)
        } else if lostByMain.remove(hash) {
            share = max(0.01, share - step)
        }
    }

    mutating func insert(_ slot: Int, hash: UInt64, weight: Int) {
        incoming = nil
        slotBound = max(slotBound, slot + 1)
        accesses += 1
        entries[slot] = Entry(hash: hash, weight: weight, lastAccess: accesses)
    }

    mutating func hit(_ slot: Int) {
        accesses += 1
        guard var entry = entries[slot] else { return }
        entry.hits = min(15, entry.hits + 1)
        entry.lastAccess = accesses
        entries[slot] = entry
    }

    mutating func replace(_ slot: Int, weight: Int) {
        hit(slot)
        entries[slot]?.weight = weight
    }

    mutating func remove(_ slot: Int) {
        entries[slot] = nil
        probation.take(slot)
    }

    mutating func popVictim() -> Int? {
        catchUp()
        while incoming.map({ weight(of: .window) > windowCapacity - $0 }) ?? true, let candidate = oldest(of: .window) {
            let candidateWeight = entries[candidate]?.weight ?? 0
            let mainWeight = weight(of: .probation) + weight(of: .protected)
            if incoming != nil, mainWeight + candidateWeight <= mainCapacity {
                countHits(candidate)
                putOnProbation(candidate)
                continue
            }
            guard let victim = mainVictim() else { break }
            return pop(prefers(candidate, over: victim) ? victim : candidate)
        }
        return (mainVictim() ?? oldest(of: .window)).map { pop($0) }
    }

    mutating func putBack(_ slot: Int) {
        guard let entry = taken[slot] else { return }
        lostByWindow.remove(entry.hash)
        lostByMain.remove(entry.hash)
        entries[slot] = entry
        if entry.part == .probation { probation.insert(slot, at: 0) }
    }

    // MARK: Rules

    private mutating func catchUp() {
        for _ in 0..<min(3, slotBound) {
            hand = hand + 1 < slotBound ? hand + 1 : 0
            guard let entry = entries[hand], entry.hits > 0 else { continue }
            if entry.part == .probation { promote(hand) } else { countHits(hand) }
        }
    }

    private mutating func mainVictim() -> Int? {
        while let slot = probation.first {
            if entries[slot]?.hits == 0 { return slot }
            promote(slot)
        }
        return oldest(of: .protected)
    }

    private mutating func promote(_ slot: Int) {
        countHits(slot)
        probation.take(slot)
        entries[slot]?.part = .protected
        while weight(of: .protected) > Int(Double(mainCapacity) * 0.8), let demoted = oldest(of: .protected) {
            countHits(demoted)
            putOnProbation(demoted)
        }
    }

    private mutating func prefers(_ candidate: Int, over victim: Int) -> Bool {
        countHits(candidate)
        countHits(victim)
        guard let hash = entries[candidate]?.hash, let victimHash = entries[victim]?.hash else { return false }
        let frequency = sketch.frequency(hash)
        let threshold = sketch.frequency(victimHash)
        if frequency == threshold, adapts, share >= 0.1 { return true }
        if frequency > threshold { return true }
        guard frequency >= 6 else { return false }
        luck ^= luck << 13
        luck ^= luck >> 7
        luck ^= luck << 17
        return luck % 512 == 0
    }

    private mutating func pop(_ slot: Int) -> Int {
        countHits(slot)
        guard let entry = entries.removeValue(forKey: slot) else { return slot }
        probation.take(slot)
        taken[slot] = entry
        guard adapts else { return slot }
        if entry.part == .window {
            lostByWindow.insert(entry.hash, weight: entry.weight, weightLimit: Int(Double(mainCapacity) * 0.25))
        } else {
            lostByMain.insert(entry.hash, weight: entry.weight, weightLimit: Int(Double(windowCapacity) * 0.25))
        }
        return slot
    }

    private mutating func putOnProbation(_ slot: Int) {
        entries[slot]?.part = .probation
        probation.append(slot)
    }

    private mutating func countHits(_ slot: Int) {
        guard let entry = entries[slot], entry.hits > 0 else { return }
        entries[slot]?.hits = 0
        sketch.add(entry.hash, times: entry.hits)
    }

    private func weight(of part: Part) -> Int {
        entries.values.reduce(0) { $1.part == part ? $0 + $1.weight : $0 }
    }

    private func oldest(of part: Part) -> Int? {
        entries.filter { $0.value.part == part }.min { $0.value.lastAccess < $1.value.lastAccess }?.key
    }
}
