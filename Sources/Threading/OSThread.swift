internal import Glibc

/// A thread of the operating system that runs one closure and can be waited for.
///
/// For work that must stay on one thread, such as LMDB's write transactions: neither a Dispatch queue nor a Swift task
/// promises that.
package final class OSThread: Sendable {
    private let handle: pthread_t
    private let isJoined = Lock(false)

    /// Starts a thread that runs `body` once.
    package init(_ body: @escaping @Sendable () -> Void) throws(OSThreadError) {
        var handle = pthread_t()
        let box = unsafe Unmanaged.passRetained(Body(run: body))
        let result = unsafe pthread_create(
            &handle,
            nil,
            { argument in
                // Safety: the argument is the box retained just above, consumed exactly once, here.
                guard let argument = unsafe argument else { return nil }
                unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            },
            box.toOpaque()
        )
        guard result == 0 else {
            unsafe box.release()
            throw OSThreadError(code: result)
        }
        self.handle = handle
    }

    /// Waits until the thread has ended.
    ///
    /// Later calls return at once.
    package func join() {
        isJoined.withLock { isJoined in
            guard !isJoined else { return }
            pthread_join(handle, nil)
            isJoined = true
        }
    }

    deinit {
        // A thread never joined must be detached, or its stack stays allocated until the process ends.
        if !isJoined.withLock({ $0 }) { pthread_detach(handle) }
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }
}

/// The system refused a thread.
package struct OSThreadError: Error, Sendable {
    /// The `errno` value.
    package let code: Int32
}
