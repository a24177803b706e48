internal import Glibc

/// A value guarded by a POSIX mutex, with a condition to wait on changes of the value.
///
/// The standard library's `Mutex` is not used: on Linux its priority-inheritance futex hands ownership to a sleeping
/// waiter on every contended operation (a context switch each), and ThreadSanitizer reports false races for it.
///
/// Not recursive. Nothing foreign (user closures, `deinit` of user values) may run inside `withLock`.
@safe
// Usable from inline, or the inlinable functions of a package type stay generic calls.
@usableFromInline
package final class Lock<State>: @unchecked Sendable {
    // because: `state` is reached only through `withLock` and `wait`, which hold the mutex while they do.

    // Safety: the three pointers are allocated in init, freed in deinit, and never leave this class. They are heap
    // allocations of their own because a mutex must not move and must not be copied.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    @usableFromInline let state: UnsafeMutablePointer<State>

    package init(_ state: sending State) {
        unsafe self.mutex = .allocate(capacity: 1)
        unsafe self.condition = .allocate(capacity: 1)
        unsafe self.state = .allocate(capacity: 1)
        unsafe self.state.initialize(to: state)

        var mutexAttributes = pthread_mutexattr_t()
        unsafe pthread_mutexattr_init(&mutexAttributes)
        #if DEBUG
            // A recursive use fails at once with EDEADLK instead of hanging.
            unsafe pthread_mutexattr_settype(&mutexAttributes, Int32(PTHREAD_MUTEX_ERRORCHECK))
        #endif
        unsafe Self.check(pthread_mutex_init(mutex, &mutexAttributes), "pthread_mutex_init")
        unsafe pthread_mutexattr_destroy(&mutexAttributes)

        // Deadlines are monotonic: a stepped wall clock must neither wake nor strand a waiter.
        var conditionAttributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&conditionAttributes)
        unsafe pthread_condattr_setclock(&conditionAttributes, CLOCK_MONOTONIC)
        unsafe Self.check(pthread_cond_init(condition, &conditionAttributes), "pthread_cond_init")
        unsafe pthread_condattr_destroy(&conditionAttributes)
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe state.deinitialize(count: 1)
        unsafe state.deallocate()
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    /// Runs `body` with exclusive access to the value.
    // Inlinable, because called as a generic function it costs several times what the mutex does.
    @inlinable
    package func withLock<R, E>(_ body: (inout State) throws(E) -> R) throws(E) -> R {
        acquire()
        defer { release() }
        return try unsafe body(&state.pointee)
    }

    /// Blocks until `ready` holds or `deadline` has passed, then runs `body` under the same hold of the lock.
    ///
    /// `ready` is asked again after each `notifyAll()`. `body` is told whether it held: `false` means timed out.
    package func wait<R, E>(
        until ready: (inout State) -> Bool,
        deadline: Deadline = .never,
        _ body: (inout State, Bool) throws(E) -> R
    ) throws(E) -> R {
        acquire()
        defer { release() }
        var isReady = unsafe ready(&state.pointee)
        while !isReady {
            let result: Int32
            if var limit = deadline.timespec {
                result = unsafe pthread_cond_timedwait(condition, mutex, &limit)
            } else {
                result = unsafe pthread_cond_wait(condition, mutex)
            }
            isReady = unsafe ready(&state.pointee)
            if result == ETIMEDOUT { break }
        }
        return try unsafe body(&state.pointee, isReady)
    }

    /// Wakes every thread that is blocked in `wait`, so that it asks its condition again.
    package func notifyAll() {
        unsafe pthread_cond_broadcast(condition)
    }

    @usableFromInline
    func acquire() {
        unsafe Self.check(pthread_mutex_lock(mutex), "pthread_mutex_lock")
    }

    @usableFromInline
    func release() {
        unsafe Self.check(pthread_mutex_unlock(mutex), "pthread_mutex_unlock")
    }

    private static func check(_ result: Int32, _ call: StaticString) {
        precondition(result == 0, "\(call) failed with \(result); a lock is not recursive and not usable after free")
    }
}
