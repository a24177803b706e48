internal import Glibc
internal import Synchronization

/// The wish of a user or a supervisor that the replay stop, as a flag that the replay asks now and then.
enum Interruption {
    private static let requested = Atomic<Int32>(0)

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
        for number in [SIGINT, SIGTERM, SIGHUP] {
            var action = sigaction()
            // Safety: the handler captures nothing and only stores to an atomic, which is async-signal-safe.
            unsafe action.__sigaction_handler.sa_handler = { Interruption.requested.store($0, ordering: .relaxed) }
            // Without SA_RESTART a blocking read of standard input returns, so that the flag is seen.
            action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
            unsafe sigaction(number, &action, nil)
        }
    }
}
