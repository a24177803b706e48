internal import LarderMemory

/// The cache of this library, as a client gets it.
struct LarderCache<Key: CacheKey, Value: Sendable>: KeyedStore {
    private let cache: MemoryCache<Key, Value>

    init(countLimit: Int?) {
        cache = MemoryCache(configuration: MemoryCacheConfiguration(countLimit: countLimit))
    }

    @inline(__always)
    func value(forKey key: Key) -> Value? {
        cache.value(forKey: key)
    }

    @inline(__always)
    func setValue(_ value: Value, forKey key: Key) {
        cache.setValue(value, forKey: key)
    }
}

extension LarderCache: ExpiringStore where Value == Int {
    @inline(__always)
    func setValue(_ value: Int, forKey key: Key, life: Duration) {
        cache.setValue(value, forKey: key, expiration: life)
    }
}
