/// What the limits refuse, who leaves when they are reached, and what follows from a change of them.
extension EntryTable {
    /// Tells the order that a key is about to come in, before room is made.
    @usableFromInline
    mutating func prepare(for entry: NewEntry) {
        order.prepare(hash: entry.hash, weight: limits.weight(ofCost: entry.cost))
    }

    /// The limit that keeps an entry out altogether: it cannot fit alone, or its life is over already.
    @usableFromInline
    func refusal(of entry: NewEntry, at now: Int64) -> RemovalCause? {
        if let cause = limits.refusal(ofCost: entry.cost) { return cause }
        if now >= entry.expiry { return .expired }
        return now >= ageDeadline(written: entry.written) ? .evictedByAge : nil
    }

    /// Whether a new entry, in place of the one in `slot` if any, needs others to leave, and by which limit.
    @usableFromInline
    func overflow(adding entry: NewEntry, replacing slot: Int?) -> RemovalCause? {
        if slot == nil, count >= limits.count { return .evictedByCount }
        guard limits.weighsByCost else { return nil }
        let replaced = slot.map { cost($0) } ?? 0
        return totalCost - Int128(replaced) + Int128(entry.cost) > Int128(limits.cost) ? .evictedByCost : nil
    }

    /// Takes the next victim out of the order, but never `spared`.
    @usableFromInline
    mutating func popVictim(sparing spared: Int?) -> Int? {
        guard let slot = popVictim() else { return nil }
        guard slot == spared else { return slot }
        // Kept aside meanwhile: the order would name it again.
        let other = popVictim()
        order.putBack(slot, weight: weight(slot), in: records)
        return other
    }

    private mutating func popVictim() -> Int? {
        let (records, weighsByCost) = (records, limits.weighsByCost)
        return order.popVictim(in: records) { weighsByCost ? records.cost($0) : 1 }
    }

    /// Puts another eviction order in place, with the entries filed from least to most recently used.
    mutating func exchangeOrder(for order: any EvictionOrder) {
        self.order = order
        countsHits = order.countsHits
        filesReplacements = order.filesReplacements
        self.order.resize(to: limits.capacity)
        settingsChanged()
        refile()
    }

    mutating func settingsChanged() {
        replacesPlainly =
            !filesReplacements && !limits.weighsByCost && limits.count > 0 && ageLimit == .max && idleLimit == .max
    }

    private mutating func refile() {
        for slot in slotsByRecency {
            order.insert(slot, weight: weight(slot), in: records)
        }
    }

    mutating func limitsChanged(from old: EntryLimits) {
        ageLimit = limits.age
        idleLimit = limits.idle
        if limits.weighsByCost != old.weighsByCost {
            // Weights changed their unit: the order's sums would mix both.
            exchangeOrder(for: order.emptied())
        } else {
            order.resize(to: limits.capacity)
        }
        settingsChanged()
        if limits.age != old.age || limits.idle != old.idle {
            for slot in slots {
                let dates = records.dates(slot)
                setDates(slot, written: dates.written, expiry: dates.expiry)
                wheel.schedule(slot, due: dueTime(slot))
            }
        }
    }
}
