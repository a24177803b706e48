/// The rules of the traces' README, word by word.
struct PlainS3FIFO: PlainOrder {
    struct Entry {
        let slot: Int
        let hash: UInt64
        var weight: Int
        var hits = 0
    }

    private let smallShare: Double
    private let ghostShare: Double
    private let threshold: Int
    private var mainCapacity = Int.max
    private var ghostCapacity = Int.max

    // Tail first.
    private var small: [Entry] = []
    private var main: [Entry] = []
    private var ghost = PlainGhost()
    private var isKnown = false
    private var taken: [Int: (entry: Entry, wasInSmall: Bool)] = [:]

    init(small: Double, ghost: Double, threshold: Int) {
        smallShare = small
        ghostShare = ghost
        self.threshold = threshold
    }

    mutating func resize(to capacity: Int) {
        mainCapacity = capacity - Int(Double(capacity) * smallShare)
        ghostCapacity = Int(Double(capacity) * ghostShare)
        ghost.trim(to: ghostCapacity)
    }

    mutating func prepare(hash: UInt64, weight: Int) { isKnown = ghost.remove(hash) }

    mutating func insert(_ slot: Int, hash: UInt64, weight: Int) {
        let entry = Entry(slot: slot, hash: hash, weight: weight)
        if isKnown { main.append(entry) } else { small.append(entry) }
        isKnown = false
    }

    mutating func hit(_ slot: Int) {
        change(slot) { $0.hits = min(3, $0.hits + 1) }
    }

    mutating func replace(_ slot: Int, weight: Int) {
        hit(slot)
        change(slot) { $0.weight = weight }
    }

    mutating func remove(_ slot: Int) {
        small.removeAll { $0.slot == slot }
        main.removeAll { $0.slot == slot }
    }

    mutating func popVictim() -> Int? {
        while !small.isEmpty || !main.isEmpty {
            if main.reduce(0, { $0 + $1.weight }) > mainCapacity || small.isEmpty {
                var entry = main.removeFirst()
                guard entry.hits > 0 else {
                    taken[entry.slot] = (entry, false)
                    return entry.slot
                }
                entry.hits -= 1
                main.append(entry)
                continue
            }
            while !small.isEmpty {
                var entry = small.removeFirst()
                guard entry.hits >= threshold else {
                    ghost.insert(entry.hash, weight: entry.weight, weightLimit: ghostCapacity)
                    taken[entry.slot] = (entry, true)
                    return entry.slot
                }
                entry.hits = 0
                main.append(entry)
            }
        }
        return nil
    }

    mutating func putBack(_ slot: Int) {
        guard let taken = taken[slot] else { return }
        if taken.wasInSmall {
            ghost.remove(taken.entry.hash)
            small.insert(taken.entry, at: 0)
        } else {
            main.insert(taken.entry, at: 0)
        }
    }

    private mutating func change(_ slot: Int, _ body: (inout Entry) -> Void) {
        for position in small.indices where small[position].slot == slot { body(&small[position]) }
        for position in main.indices where main[position].slot == slot { body(&main[position]) }
    }
}
