public import LarderMemory
public import LarderStore

extension TieredCache {
    /// The value under a key, from the first tier that has it.
    ///
    /// A memory hit does not wait. Otherwise the disk is read on this thread, the value decoded and taken up into memory.
    /// Counts as an access.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - tiers: Where to look.
    ///   - promotes: Whether a value found on disk is taken up into memory. Leave it out for scans.
    /// - Returns: The value; `nil` when no tier has a live one.
    @inlinable
    public func value(forKey key: Key, in tiers: CacheTiers = .all, promotes: Bool = true) -> Value? {
        if tiers.contains(.memory), let value = valueFromMemory(forKey: key) { return value }
        return valueFromDisk(forKey: key, in: tiers, promotes: promotes)
    }

    /// The value under a key and the tier that had it.
    ///
    /// Does what `value(forKey:in:promotes:)` does.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - tiers: Where to look.
    ///   - promotes: Whether a value found on disk is taken up into memory.
    /// - Returns: The hit; `nil` when no tier has a live value.
    @inlinable
    public func hit(forKey key: Key, in tiers: CacheTiers = .all, promotes: Bool = true) -> CacheHit<Value>? {
        if tiers.contains(.memory), let value = valueFromMemory(forKey: key) {
            return CacheHit(value: value, tier: .memory)
        }
        return valueFromDisk(forKey: key, in: tiers, promotes: promotes).map { CacheHit(value: $0, tier: .disk) }
    }

    /// Whether a tier has a live value under a key, a write that is still queued included.
    ///
    /// Does not count as an access and promotes nothing. May read the disk.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - tiers: Where to look.
    /// - Returns: Whether `value(forKey:)` would return one.
    @inlinable
    public func contains(_ key: Key, in tiers: CacheTiers = .all) -> Bool {
        if tiers.contains(.memory), !sharesDisk || isMemoryCurrent(), memory.contains(key) { return true }
        return tiers.contains(.disk) && disk?.table.contains(key) == true
    }

    @inlinable
    @inline(never)
    func valueFromDisk(forKey key: Key, in tiers: CacheTiers, promotes: Bool) -> Value? {
        guard tiers.contains(.disk), let disk else {
            counters.countMiss()
            return nil
        }
        // Before the read: a change that the read may have missed must be noticed by the promotion.
        let hash = memory.hash(of: key)
        let moment = generations.moment(of: hash)
        guard let record = disk.table.record(forKey: key) else {
            counters.countMiss()
            return nil
        }
        counters.countDiskHit()
        if promotes, tiers.contains(.memory) {
            beforePromotion?(key)
            promote(record, forKey: key, hash: hash, unlessChangedSince: moment)
        }
        return record.value
    }

    /// Takes a record up into memory, unless its key was written or removed since `moment`.
    @inlinable
    func promote(
        _ record: StoredRecord<Value>,
        forKey key: Key,
        hash: UInt64,
        unlessChangedSince moment: KeyGenerations.Moment
    ) {
        let now = wallClock.now
        let incoming = IncomingValue(
            value: record.value,
            cost: record.cost,
            age: now - record.created,
            life: record.expires.map { $0 - now }
        )
        memory.store(
            incoming,
            forKey: key,
            hash: hash,
            admits: { [self] in
                let isCurrent = generations.moment(of: hash) == moment && !isClosed
                if !isCurrent { counters.countOvertakenPromotion() }
                return isCurrent
            },
            kept: { [counters] in counters.countPromotion() }
        )
    }
}
