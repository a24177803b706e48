internal import Synchronization

/// A dictionary under the standard library's `Mutex`, without any limit: the least that a Swift user would write.
final class MutexDictionary<Key: CacheKey, Value: Sendable>: KeyedStore {
    private let entries = Mutex<[Key: Value]>([:])

    init(countLimit: Int?) {}

    @inline(__always)
    func value(forKey key: Key) -> Value? {
        entries.withLock { $0[key] }
    }

    @inline(__always)
    func setValue(_ value: Value, forKey key: Key) {
        entries.withLock { $0[key] = value }
    }
}

extension MutexDictionary: ExpiringStore where Value == Dated {}
