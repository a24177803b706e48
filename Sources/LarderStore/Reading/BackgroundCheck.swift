internal import LMDB
internal import Threading

/// Looks through the pages of a file that was too large for that at its opening, while the store is open.
///
/// LMDB trusts its pages, and one that the disk has spoilt may end the process when it is first touched, perhaps days later.
/// So they are read once, past the map, and at damage the file is given up as if a read had met it.
///
/// On a thread of its own: a read from a disk that is failing can take half a minute, and nobody's write should wait for
/// that. In slices, each in the newest snapshot: one snapshot for all of it would keep every page that is freed meanwhile
/// from being used again, and have the file grow.
final class BackgroundCheck: Sendable {
    /// Longer than that no snapshot is held, but for a read from the disk that takes longer.
    private static let slice = Duration.milliseconds(2)
    /// Between two slices, as a multiple of the time the last one took: so it never takes more than a fifth of a processor
    /// or, where the file is not in the system's cache, of the disk.
    private static let pause = 4
    private static let shortestPause = Duration.milliseconds(8)
    private static let longestPause = Duration.seconds(1)

    private let core: StoreCore
    private let isStopped = Lock(false)

    /// Starts checking; a system that refuses a thread has no check.
    init?(_ core: StoreCore) {
        self.core = core
        do throws(OSThreadError) { _ = try OSThread { [self] in run() } } catch { return nil }
    }

    /// Lets it read no more once the slice it is at ends, and report nothing from now on.
    ///
    /// Does not wait for it: the pool of readers, which it uses like anyone, does when it is closed.
    func stop() {
        isStopped.withLock { $0 = true }
        isStopped.notifyAll()
    }

    private func run() {
        var position = DataFileCheck.Position()
        // The first thing an opening has time for is its caller.
        var pause = Self.shortestPause
        while !waits(for: pause) {
            let start = ContinuousClock.now
            // Where every reader is busy, or the system refuses another one, it is tried again after the longest pause.
            let read = try? core.readers.read { (snapshot) throws(LMDBError) in
                snapshot.checkPages(from: position, within: Self.slice)
            }
            switch read {
            case .goesOn(let next)?: position = next
            case .finds(let finding)?: return report(finding)
            case .isDone?: return
            case nil:
                pause = Self.longestPause
                continue
            }
            pause = min(max((ContinuousClock.now - start) * Self.pause, Self.shortestPause), Self.longestPause)
        }
    }

    /// Returns whether it was stopped.
    private func waits(for pause: Duration) -> Bool {
        isStopped.wait(until: { $0 }, deadline: .after(pause)) { isStopped, _ in isStopped }
    }

    private func report(_ finding: DataFileCheck.Finding) {
        isStopped.withLock { isStopped in
            guard !isStopped, core.damageReports.withLock({ $0.giveUp() }) else { return }
            core.queue.enqueue(WriteOperation(.setAside("\(finding)")))
        }
    }
}
