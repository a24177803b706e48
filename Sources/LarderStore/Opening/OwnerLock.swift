internal import Glibc

/// The lock that keeps other processes out of a store, held until this object's end.
///
/// A file of its own: opening and closing LMDB's lock file anywhere in the process would drop all of LMDB's locks.
final class OwnerLock: Sendable {
    private let descriptor: Int32

    init(_ directory: StoreDirectory) throws(StoreError) {
        let file = unsafe openat(directory.descriptor, "LOCK", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw directory.failure("open", "LOCK") }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            Glibc.close(file)
            guard code == EWOULDBLOCK else { throw directory.failure("lock", "LOCK") }
            let owner = directory.read("LOCK").flatMap { String(validating: $0, as: UTF8.self) } ?? ""
            let process = owner.isEmpty ? "another process" : "process \(owner.prefix { $0.isNumber })"
            throw StoreError(
                .inUse,
                "The store at \(directory.path) is open in \(process): one process a directory; close it there first"
            )
        }
        // The number is for the message above only; the lock itself is what counts.
        // Padded to one length, because to truncate the file first would take longer than the rest of opening a store.
        let number = "\(getpid())"
        let text = Array((number + String(repeating: " ", count: max(20 - number.count, 0)) + "\n").utf8)
        _ = unsafe text.withUnsafeBytes { unsafe pwrite(file, $0.baseAddress, $0.count, 0) }
        descriptor = file
    }

    deinit {
        // Not left to the closing: a child being spawned at this moment has a copy of the descriptor until its exec, and
        // would keep the lock.
        flock(descriptor, LOCK_UN)
        Glibc.close(descriptor)
    }
}
