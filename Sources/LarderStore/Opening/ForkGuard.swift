internal import Glibc
internal import Synchronization

/// Notices that the process is a forked child.
///
/// One relaxed load an operation; asking for the process id would be a system call.
enum ForkGuard {
    private static let forks = Atomic<UInt64>(0)

    private static let isInstalled: Bool = {
        pthread_atfork(nil, nil) { ForkGuard.forks.add(1, ordering: .relaxed) } == 0
    }()

    /// A number that is another one in each forked child.
    static var generation: UInt64 { forks.load(ordering: .relaxed) }

    /// Makes sure that forks are noticed from now on.
    static func install() {
        _ = isInstalled
    }
}
