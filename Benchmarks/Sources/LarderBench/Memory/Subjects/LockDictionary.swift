internal import Glibc

/// A dictionary under a POSIX mutex, without any limit.
@safe
final class LockDictionary<Key: CacheKey, Value: Sendable>: KeyedStore, @unchecked Sendable {
    // because: `entries` is reached only while the mutex is held.

    // Safety: both are allocated and initialised in init, freed in deinit, and never leave this class. A mutex must not
    // move, hence a block of its own; the entries have one so that their accesses need no check for exclusivity.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let entries: UnsafeMutablePointer<[Key: Value]>

    init(countLimit: Int?) {
        unsafe mutex = .allocate(capacity: 1)
        unsafe entries = .allocate(capacity: 1)
        unsafe entries.initialize(to: [:])
        let result = unsafe pthread_mutex_init(mutex, nil)
        precondition(result == 0, "pthread_mutex_init failed with \(result)")
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
        unsafe entries.deinitialize(count: 1)
        unsafe entries.deallocate()
    }

    @inline(__always)
    func value(forKey key: Key) -> Value? {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return unsafe entries.pointee[key]
    }

    @inline(__always)
    func setValue(_ value: Value, forKey key: Key) {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        unsafe entries.pointee[key] = value
    }
}

extension LockDictionary: ExpiringStore where Value == Dated {}
