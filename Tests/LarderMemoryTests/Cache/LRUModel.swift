import LarderMemory

/// What a cache with the default policy must hold, kept in a dictionary and an array, as plainly as can be.
struct LRUModel {
    struct Entry: Equatable {
        var value: Int
        var cost: Int
        var expiry: Int?
        var written: Int
        var used: Int
    }

    var costLimit: Int?
    var countLimit: Int?
    var ageLimit: Int?
    var idleLimit: Int?
    private(set) var entries: [Int: Entry] = [:]

    /// From least to most recently used.
    private(set) var order: [Int] = []

    var totalCost: Int { entries.values.reduce(0) { $0 + $1.cost } }

    func isAlive(_ key: Int, at now: Int) -> Bool {
        guard let entry = entries[key] else { return false }
        return now < entry.expiry ?? .max && now - entry.written < ageLimit ?? .max
            && now - entry.used < idleLimit ?? .max
    }

    mutating func get(_ key: Int, at now: Int) -> Int? {
        guard isAlive(key, at: now) else { return nil }
        use(key, at: now)
        return entries[key]?.value
    }

    mutating func set(_ value: Int, for key: Int, cost: Int, life: Int?, at now: Int) {
        if !isAlive(key, at: now) { remove(key) }
        let isRefused = cost > costLimit ?? .max || costLimit == 0 || countLimit == 0 || life ?? 1 <= 0
        guard !isRefused else { return remove(key) }
        // The least recently used make room, but never the entry that is replaced.
        func isOver() -> Bool {
            let others = totalCost - (entries[key]?.cost ?? 0)
            let count = entries.count + (entries[key] == nil ? 1 : 0)
            return others + cost > costLimit ?? .max || count > countLimit ?? .max
        }
        while isOver(), let victim = order.first(where: { $0 != key }) { remove(victim) }
        entries[key] = Entry(value: value, cost: cost, expiry: life.map { now + $0 }, written: now, used: now)
        use(key, at: now)
    }

    mutating func remove(_ key: Int) {
        guard entries.removeValue(forKey: key) != nil else { return }
        order.removeAll { $0 == key }
    }

    mutating func removeAll() {
        entries = [:]
        order = []
    }

    mutating func removeDead(at now: Int) {
        for key in order where !isAlive(key, at: now) { remove(key) }
    }

    mutating func trim(unusedSince instant: Int) {
        for key in order where (entries[key]?.used ?? 0) < instant { remove(key) }
    }

    mutating func trim(toCost cost: Int) {
        while totalCost > cost, let victim = order.first { remove(victim) }
    }

    mutating func trim(toCount count: Int) {
        while entries.count > count, let victim = order.first { remove(victim) }
    }

    mutating func trim(toCostByCost cost: Int) {
        while totalCost > cost {
            guard let highest = entries.values.map(\.cost).max(),
                let victim = order.first(where: { entries[$0]?.cost == highest })
            else { return }
            remove(victim)
        }
    }

    private mutating func use(_ key: Int, at now: Int) {
        entries[key]?.used = now
        order.removeAll { $0 == key }
        order.append(key)
    }
}
