/// What a subject of the suite must be able to do, from any thread.
protocol KeyedStore: Sendable {
    associatedtype Key: CacheKey
    associatedtype Value: Sendable

    /// Creates an empty store, with a limit on its entries if it is given one and can have one.
    init(countLimit: Int?)

    func value(forKey key: Key) -> Value?
    func setValue(_ value: Value, forKey key: Key)
}

/// A store whose entries have a life.
protocol ExpiringStore: KeyedStore {
    func setValue(_ value: Int, forKey key: Key, life: Duration)
}

extension ExpiringStore where Value == Dated {
    /// Keeps the deadline beside the value, as one does with a store that knows no life.
    @inline(__always)
    func setValue(_ value: Int, forKey key: Key, life: Duration) {
        setValue(Dated(value, life: life), forKey: key)
    }
}
