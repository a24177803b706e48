internal import Glibc
internal import Synchronization

/// The wish of a user or a supervisor that the replay stop, as a flag that the replay asks now and then.
enum Interruption {
    private static let requested = Atomic<Int32>(0)

    private static let signals = [SIGINT, SIGTERM, SIGHUP]

    /// The signal that asked, if one did.
    static var signal: Int32? {
        let number = requested.load(ordering: .relaxed)
        return number == 0 ? nil : number
    }

    /// Takes SIGINT, SIGTERM and SIGHUP over.
    ///
    /// Only the first is caught: should stopping cleanly take too long, a second one ends the process.
    static func install() {
        // The flag is a lazily initialised global: it must exist before a handler, which may not allocate or wait.
        requested.store(0, ordering: .relaxed)
        for number in signals {
            var action = sigaction()
            // Safety: the handler captures nothing and only stores to an atomic, which is async-signal-safe.
            unsafe action.__sigaction_handler.sa_handler = { Interruption.requested.store($0, ordering: .relaxed) }
            // Without SA_RESTART a blocking read of standard input returns, so that the flag is seen.
            action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
            var previous = sigaction()
            unsafe sigaction(number, &action, &previous)
            // Whoever started the process with a signal ignored (`nohup`, a shell's background job) meant it.
            // Safety: a handler is a pointer-sized C function; only its bits are compared, it is not called.
            let isIgnored = unsafe unsafeBitCast(previous.__sigaction_handler.sa_handler, to: Int.self) == 1
            if isIgnored { unsafe sigaction(number, &previous, nil) }
        }
    }

    /// Lets the signals through that ask to stop.
    ///
    /// A parent that starts the process from a Dispatch thread hands its mask down, and there all signals are blocked.
    static func allow() {
        var asking = sigset_t()
        unsafe sigemptyset(&asking)
        for number in signals { unsafe sigaddset(&asking, number) }
        unsafe pthread_sigmask(SIG_UNBLOCK, &asking, nil)
    }
}
