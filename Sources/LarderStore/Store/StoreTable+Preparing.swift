/// Writing in two steps, for a caller that must queue inside a critical section of its own.
///
/// The first step does what may block or run foreign code; `enqueue` then only appends.
extension StoreTable {
    /// Encodes, checks and admits a write.
    ///
    /// Blocks while the queue is full, unless it must not: then it gets in beyond the limit. Without a cost, the bytes of the
    /// encoded value are stored as it. On an error nothing is queued and the caller has to queue a removal of the key, or an
    /// older value stays readable: `prepareRemoval(forKey:)`.
    @inlinable
    package func prepare(
        _ value: Value,
        forKey key: Key,
        cost: Int?,
        created: WallTime,
        expires: WallTime?,
        mayWait: Bool = true
    ) throws(StoreError) -> PreparedWrite {
        try core.requireOpen("write")
        let payload: [UInt8]
        do {
            payload = try codec.encode(value)
        } catch {
            throw core.encodingFailure(error, of: Value.self, in: state)
        }
        return try key.withStoreKeyBytes { (bytes) throws(StoreError) -> PreparedWrite in
            try core.put(
                payload,
                codec: codec.id,
                key: bytes,
                in: state,
                cost: cost ?? payload.count,
                created: created,
                expires: expires,
                mayWait: mayWait
            )
        }
    }

    /// Admits a removal; blocks while the queue is full, unless it must not, and never fails.
    @inlinable
    package func prepareRemoval(forKey key: Key, mayWait: Bool = true) -> PreparedWrite {
        key.withStoreKeyBytes { core.removal(of: $0, in: state, mayWait: mayWait) }
    }

    /// Prepares the removal of every record; never blocks.
    package func prepareRemoveAll() -> PreparedWrite {
        core.removeAll(of: state)
    }

    /// Queues a prepared write of this table: the order of calls is the order of effect, and reads see it at once.
    ///
    /// Takes one short lock and runs no foreign code. A closed store ignores it.
    @inlinable
    package func enqueue(_ write: PreparedWrite) {
        core.enqueue(write)
    }
}
