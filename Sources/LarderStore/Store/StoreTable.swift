internal import Synchronization
internal import Threading

/// A named set of records of one store, with keys and values of one type each.
///
/// A handle: it can be copied freely and keeps its store open.
public struct StoreTable<Key: StoreKey, Value: Sendable>: Sendable {
    /// The store it belongs to.
    public let store: Store

    /// How its values become bytes.
    public let codec: ValueCodec<Value>

    @usableFromInline let state: TableState

    @inlinable var core: StoreCore { store.core }

    init(store: Store, state: TableState, codec: ValueCodec<Value>) {
        self.store = store
        self.state = state
        self.codec = codec
    }

    /// The name of the table.
    public var name: String { state.name }

    // MARK: Reading

    /// The value stored under `key`, or `nil`.
    ///
    /// Reads the disk, usually from the system's cache; never waits for a write. Counts as an access. A record that has
    /// expired, is damaged or cannot be decoded is a miss; the last two are counted and removed.
    @inlinable
    public func value(forKey key: Key) -> Value? {
        record(forKey: key)?.value
    }

    /// The value stored under `key` with its age, expiry and cost, or `nil`.
    ///
    /// As `value(forKey:)` otherwise.
    @inlinable
    public func record(forKey key: Key) -> StoredRecord<Value>? {
        guard let match = key.withStoreKeyBytes({ core.find($0, in: state) }), let record = decode(match) else {
            core.noteMiss()
            return nil
        }
        core.noteHit(match)
        return record
    }

    /// Whether a live record is stored under `key`.
    ///
    /// Reads the disk as `value(forKey:)` does, but does not count as an access and decodes nothing.
    @inlinable
    public func contains(_ key: Key) -> Bool {
        key.withStoreKeyBytes { core.find($0, in: state, wantsPayload: false) != nil }
    }

    /// The number of records in the last commit, of whatever process.
    ///
    /// Constant time. Queued writes do not count yet; expired records count until their space is given back.
    public var count: Int {
        guard core.isUsable else { return 0 }
        core.noticeChanges()
        let instance = state.place.stored
        return core.published.withLock { $0.ledger.counts[instance]?.entries ?? 0 }
    }

    @inlinable
    func decode(_ match: StoreCore.Match) -> StoredRecord<Value>? {
        guard match.header.codec == codec.id, let value = try? codec.decode(match.payload) else {
            core.reject(match)
            return nil
        }
        return StoredRecord(value: value, match.header)
    }

    // MARK: Writing

    /// Queues a value to be stored under `key`, in place of any older one.
    ///
    /// Visible to every later read of this process at once, on the disk after the next commit. Encodes on the calling
    /// thread, and blocks while the queue is full unless it is configured to drop. `expiration` is how long it lives from
    /// now, `nil` for ever; zero or less means that it has expired already. The cost is kept and given back, in whatever
    /// unit, and is the bytes of the encoded value if it is left out; the store itself counts bytes.
    ///
    /// Throws `.encodingFailed`, `.valueTooLarge` or `.closed`. A refused value still removes the older one, so that no
    /// later read returns what the caller meant to replace.
    @inlinable
    public func setValue(
        _ value: Value,
        forKey key: Key,
        cost: Int? = nil,
        expiration: Duration? = nil
    ) throws(StoreError) {
        let now = core.clock.now
        do throws(StoreError) {
            let write = try prepare(value, forKey: key, cost: cost, created: now, expires: expiration.map { now + $0 })
            core.enqueue(write)
        } catch {
            if error.code != .closed { removeValue(forKey: key) }
            throw error
        }
    }

    /// Queues the removal of whatever is stored under `key`.
    ///
    /// Gone for every later read at once; blocks only while the queue is full. A closed store ignores it.
    @inlinable
    public func removeValue(forKey key: Key) {
        core.enqueue(prepareRemoval(forKey: key))
    }

    /// Queues the removal of every record of the table.
    ///
    /// Gone for every later read at once, whatever their number; their space is given back in the background. A closed
    /// store ignores it.
    public func removeAll() {
        core.enqueue(prepareRemoveAll())
    }
}
