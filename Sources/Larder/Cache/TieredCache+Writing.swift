public import LarderMemory
public import LarderStore

extension TieredCache {
    /// Stores a value under a key, in place of any other.
    ///
    /// When it returns, memory has the value and the disk's write is queued: every later read sees it, and `flush()`
    /// waits for it. Encodes the value on this thread. Waits when the disk's queue is full, unless the configuration says
    /// to drop; called from a hook it must not wait, and gets in beyond the limit. Whatever is refused or fails, no tier
    /// keeps an older value under the key.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: The key.
    ///   - cost: What the entry counts for in memory; `nil` for what `costOf` says, else the bytes of its encoded form.
    ///   - expiration: How long the entry lives; `nil` for the configuration's `expiration`.
    ///   - tiers: Where to store it. The other tier only loses what it had.
    @inlinable
    public func setValue(
        _ value: Value,
        forKey key: Key,
        cost: Int? = nil,
        expiration: Duration? = nil,
        in tiers: CacheTiers = .all
    ) {
        guard !isClosed else { return }
        let life = expiration ?? configuration.expiration
        let given = cost ?? costOf?(value)
        let write = disk.map { prepareWrite(of: value, forKey: key, cost: given, life: life, in: tiers, $0) }
        let hash = memory.hash(of: key)
        let alongside = change(of: hash, write: write)
        guard tiers.contains(.memory) else {
            memory.remove(forKey: key, hash: hash, alongside: alongside)
            return
        }
        let cost = given ?? write?.payloadBytes ?? encodedBytes(of: value, key)
        memory.store(
            IncomingValue(value: value, cost: cost, life: life),
            forKey: key,
            hash: hash,
            admits: { [self] in !isClosed },
            alongside: alongside
        )
    }

    /// Removes the value under a key.
    ///
    /// When it returns, no read finds it any more. Removing what is not there calls no hook.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - tiers: Where to remove it. From memory alone, the next read finds it on disk.
    @inlinable
    public func removeValue(forKey key: Key, in tiers: CacheTiers = .all) {
        guard !isClosed else { return }
        let hash = memory.hash(of: key)
        let write = tiers.contains(.disk) ? disk?.table.prepareRemoval(forKey: key, mayWait: mayWait) : nil
        let alongside = change(of: hash, write: write)
        if tiers.contains(.memory) {
            memory.remove(forKey: key, hash: hash, alongside: alongside)
        } else {
            memory.inBarrier(alongside)
        }
    }

    /// The value under a key.
    ///
    /// Reading is `value(forKey:)`, assigning is `setValue`, assigning `nil` is `removeValue`.
    ///
    /// - Parameter key: The key.
    @inlinable
    public subscript(key: Key) -> Value? {
        get { value(forKey: key) }
        set {
            if let newValue { setValue(newValue, forKey: key) } else { removeValue(forKey: key) }
        }
    }

    /// Removes everything.
    ///
    /// When it returns, no read finds anything that was there. On disk this takes the same short time whatever is there;
    /// the space is given back little by little.
    ///
    /// - Parameter tiers: What to empty. With memory alone, later reads find what is on disk.
    public func removeAll(in tiers: CacheTiers = .all) {
        guard !isClosed else { return }
        let table = tiers.contains(.disk) ? disk?.table : nil
        let write = table?.prepareRemoveAll()
        let generations = generations
        let alongside: @Sendable () -> Void = {
            if let table, let write { table.enqueue(write) }
            generations.advanceAll()
        }
        if tiers.contains(.memory) { memory.removeAll(alongside: alongside) } else { memory.inBarrier(alongside) }
    }

    /// What must happen in the memory tier's barrier, so that both tiers see the changes of a key in one order.
    ///
    /// First the disk, then the generation: a read that sees the new generation must see the queued write as well, or it
    /// could promote what it read before.
    @inlinable
    func change(of hash: UInt64, write: PreparedWrite?) -> @Sendable () -> Void {
        let (table, generations) = (disk?.table, generations)
        return {
            if let table, let write { table.enqueue(write) }
            generations.advance(hash)
        }
    }

    /// The disk's part of a write; the removal of the key when the value is not for the disk or cannot go there.
    @inlinable
    func prepareWrite(
        of value: Value,
        forKey key: Key,
        cost: Int?,
        life: Duration?,
        in tiers: CacheTiers,
        _ disk: DiskTier<Key, Value>
    ) -> PreparedWrite {
        guard tiers.contains(.disk) else { return disk.table.prepareRemoval(forKey: key, mayWait: mayWait) }
        let now = wallClock.now
        do {
            return try disk.table.prepare(
                value,
                forKey: key,
                cost: cost,
                created: now,
                expires: life.map { now + $0 },
                mayWait: mayWait
            )
        } catch {
            let code: CacheError.Code = error.code == .encodingFailed ? .encodingFailed : .writeFailed
            reporter.report(CacheError(code, "disk: \(error.message)", cause: error), key)
            var removal = disk.table.prepareRemoval(forKey: key, mayWait: mayWait)
            // To encode it again for its cost would only fail again.
            if code == .encodingFailed { removal.payloadBytes = 0 }
            return removal
        }
    }

    /// Whether a write may wait for room in the disk's queue.
    ///
    /// Not in a hook: those who have the room may be waiting for the hook to return before they can queue anything.
    @inlinable var mayWait: Bool { !memory.holdsUpOthers }

    /// The default cost of a value that does not go to disk: worked out only where a cost limit needs it.
    @inlinable
    func encodedBytes(of value: Value, _ key: Key) -> Int {
        guard memory.configuration.costLimit != nil else { return 0 }
        do {
            return try codec.encode(value).count
        } catch {
            reporter.report(
                CacheError(
                    .encodingFailed,
                    "a value could not be encoded to find its cost (\(error)): give a cost, or costOf",
                    cause: error
                ),
                key
            )
            return 0
        }
    }
}
