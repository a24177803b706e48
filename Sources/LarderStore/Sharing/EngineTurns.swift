internal import Glibc
internal import Threading

/// One process at a time in each of the engine's two locks, when a store is shared.
///
/// LMDB's own locks are robust mutexes in shared memory. One that is let go of wakes one waiter; if that one is killed
/// before it has taken the lock, and a third has taken it meanwhile, the system wakes nobody else, and whoever waits goes on
/// waiting until two others happen to compete again. Waiting here instead, for a lock of the file system, none ever has to
/// wait there. Those locks are the system's own: it knows who waits, and takes them back from the dead.
final class EngineTurns: Sendable {
    /// Beside the bytes of the owner's lock in the same file.
    enum Byte: off_t {
        case writing = 2
        case takingReader = 3
    }

    /// One of its own, so that it is nobody else's to let go of.
    private let descriptor: Int32
    /// The system's lock does not tell the threads of a process apart; there is one writer, but there are many readers.
    private let takingReader = Lock(())

    init(_ directory: StoreDirectory) throws(StoreError) {
        descriptor = unsafe openat(directory.descriptor, OwnerLock.name, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw directory.failure("open", OwnerLock.name) }
    }

    deinit {
        Glibc.close(descriptor)
    }

    /// Runs `body`, which begins and ends a write transaction.
    func write<R, E>(_ body: () throws(E) -> R) throws(E) -> R {
        take(.writing)
        defer { giveBack(.writing) }
        return try body()
    }

    /// Runs `body`, which takes a slot of the table of readers or looks for those of the dead.
    func takeReader<R, E>(_ body: () throws(E) -> R) throws(E) -> R {
        try takingReader.withLock { (_) throws(E) -> R in
            take(.takingReader)
            defer { giveBack(.takingReader) }
            return try body()
        }
    }

    /// Throws `.timedOut` if another process stays in its turn for seconds, as one does that the system has stopped in it.
    ///
    /// For whoever must not wait without end: the system's own way of waiting knows no deadline.
    func requireFree(_ byte: Byte, path: String) throws(StoreError) {
        let deadline = Deadline.after(.seconds(2))
        var range = OwnerLock.range(F_WRLCK, byte.rawValue)
        while unsafe fcntl(descriptor, OwnerLock.setLock, &range) != 0, OwnerLock.isHeld(errno) {
            guard !deadline.hasPassed else {
                let turn = byte == .writing ? "a commit" : "taking a reader"
                throw StoreError(
                    .timedOut,
                    "A process that shares the store at \(path) does not come to the end of \(turn): see whether it is stopped, "
                        + "and let it go on or end it"
                )
            }
            usleep(1_000)
        }
        giveBack(byte)
    }

    private func take(_ byte: Byte) {
        var range = OwnerLock.range(F_WRLCK, byte.rawValue)
        // Any failure but an interruption leaves the engine's own lock, which keeps order all the same.
        while unsafe fcntl(descriptor, OwnerLock.setLockWaiting, &range) != 0, errno == EINTR {}
    }

    private func giveBack(_ byte: Byte) {
        var range = OwnerLock.range(F_UNLCK, byte.rawValue)
        _ = unsafe fcntl(descriptor, OwnerLock.setLock, &range)
    }
}

extension EngineTurns? {
    /// Runs `body` in this process's turn to write, where there are turns.
    func write<R, E>(_ body: () throws(E) -> R) throws(E) -> R {
        guard let self else { return try body() }
        return try self.write(body)
    }

    /// Runs `body` in this process's turn to take a reader, where there are turns.
    func takeReader<R, E>(_ body: () throws(E) -> R) throws(E) -> R {
        guard let self else { return try body() }
        return try self.takeReader(body)
    }
}
