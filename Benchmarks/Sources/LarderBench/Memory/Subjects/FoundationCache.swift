internal import Foundation

/// Foundation's `NSCache`, used as Swift code must: keys turned into objects on each call, values in a box.
final class FoundationCache<Key: CacheKey, Value: Sendable>: KeyedStore, @unchecked Sendable {
    // because: NSCache locks for itself, and nothing here changes after init.

    private let cache = NSCache<Key.Object, Box>()

    init(countLimit: Int?) {
        // Zero is its word for no limit.
        cache.countLimit = countLimit ?? 0
    }

    @inline(__always)
    func value(forKey key: Key) -> Value? {
        cache.object(forKey: key.object)?.value
    }

    @inline(__always)
    func setValue(_ value: Value, forKey key: Key) {
        cache.setObject(Box(value), forKey: key.object)
    }

    private final class Box {
        let value: Value

        init(_ value: Value) {
            self.value = value
        }
    }
}

extension FoundationCache: ExpiringStore where Value == Dated {}
