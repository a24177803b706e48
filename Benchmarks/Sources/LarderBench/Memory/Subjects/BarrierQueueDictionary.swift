internal import Dispatch

/// A dictionary behind a concurrent queue, with synchronous reads and barrier writes, without any limit: the textbook
/// form of what the cache does.
final class BarrierQueueDictionary<Key: CacheKey, Value: Sendable>: KeyedStore, @unchecked Sendable {
    // because: `entries` is read only in blocks of `queue` and changed only in its barriers.

    private let queue = DispatchQueue(label: "larder.bench.barrier", attributes: .concurrent)
    private var entries: [Key: Value] = [:]

    init(countLimit: Int?) {}

    @inline(__always)
    func value(forKey key: Key) -> Value? {
        queue.sync { entries[key] }
    }

    @inline(__always)
    func setValue(_ value: Value, forKey key: Key) {
        queue.sync(flags: .barrier) { entries[key] = value }
    }
}

extension BarrierQueueDictionary: ExpiringStore where Value == Dated {}
