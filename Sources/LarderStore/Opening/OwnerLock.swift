internal import Glibc
internal import Threading

/// The lock that says who has a store open, held until this object's end: one process alone, or any number that share it.
///
/// A file of its own: opening and closing LMDB's lock file anywhere in the process would drop all of LMDB's locks. Two
/// bytes of it are locked by open file description, so that no other descriptor of the process can let them go and so
/// that one kind of lock becomes the other in one step. The *owner* byte is held for writing by a process that is alone,
/// for reading by those that share. The *gate* is held by a sharing process while it opens or closes: one at a time, so
/// that the first can prepare the files and the last can leave them in order.
final class OwnerLock: Sendable {
    static let name = "LOCK"

    private enum Byte: off_t {
        case owner
        case gate
    }

    private static let pause: useconds_t = 2_000

    private let descriptor: Int32
    private let isShared: Bool

    /// Whether nobody else has the store open: what concerns the files as a whole may be done.
    let isFirst: Bool

    /// Takes the lock; for sharing with `isShared`, which may wait until `deadline` for another process to open or close.
    ///
    /// With `signs`, the messages of others name this process. Throws `.inUse` if the store is held in a way that excludes
    /// this one, with the reason why it must not be, and `.timedOut` if the wait was too long.
    init(
        _ directory: StoreDirectory,
        isShared: Bool = false,
        deadline: Deadline = .after(.zero),
        signs: Bool = true,
        aloneBecause reason: String? = nil
    ) throws(StoreError) {
        var file: Int32
        var isFirst: Bool
        repeat {
            file = unsafe openat(directory.descriptor, Self.name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard file >= 0 else { throw directory.failure("open", Self.name) }
            do throws(StoreError) {
                isFirst = try isShared ? Self.join(file, directory, deadline) : Self.own(file, directory, reason)
            } catch {
                Glibc.close(file)
                throw error
            }
            // Whoever destroys a store removes the file while holding it: the lock is on one that nobody else will find.
            if Self.isCurrent(file, in: directory) { break }
            Glibc.close(file)
        } while true
        if signs { Self.sign(file) }
        descriptor = file
        self.isShared = isShared
        self.isFirst = isFirst
    }

    /// Takes the lock to look at a store: alone if nobody has it open, else beside those who share it.
    ///
    /// Waits for nobody: throws `.inUse` if another process has it alone, `.timedOut` if one is opening or closing it.
    static func visit(_ directory: StoreDirectory) throws(StoreError) -> OwnerLock {
        let refusal: StoreError
        do throws(StoreError) {
            return try OwnerLock(directory)
        } catch {
            guard error.code == .inUse else { throw error }
            refusal = error
        }
        do throws(StoreError) {
            // Whoever comes to want the store alone has to be told of those who stay.
            return try OwnerLock(directory, isShared: true, signs: false)
        } catch {
            throw error.code == .inUse ? refusal : error
        }
    }

    deinit {
        // Not left to the closing: a child being spawned at this moment has a copy of the descriptor until its exec, and
        // would keep the lock.
        _ = Self.set(F_UNLCK, .owner, of: descriptor)
        _ = Self.set(F_UNLCK, .gate, of: descriptor)
        Glibc.close(descriptor)
    }

    /// Lets others in, if the store is to be shared: what only the first may do has been done.
    func share() {
        guard isShared else { return }
        // In one step: nobody can come to own the store in between.
        _ = Self.set(F_RDLCK, .owner, of: descriptor)
        _ = Self.set(F_UNLCK, .gate, of: descriptor)
    }

    /// Keeps others from opening and closing, and returns whether nobody else has the store open.
    ///
    /// `false` as well if the gate does not come free by `deadline`; closing goes on without it then.
    func beginClosing(deadline: Deadline) -> Bool {
        guard isShared else { return true }
        guard Self.passGate(descriptor, deadline) else { return false }
        // Fails, and leaves the lock that is held as it is, while others share the store.
        return Self.set(F_WRLCK, .owner, of: descriptor)
    }

    // MARK: Taking it

    private static func own(
        _ file: Int32,
        _ directory: StoreDirectory,
        _ reason: String?
    ) throws(StoreError) -> Bool {
        guard !set(F_WRLCK, .owner, of: file) else { return true }
        guard isHeld(errno) else { throw directory.failure("lock", name) }
        let (isShared, process) = holder(file, directory)
        throw StoreError(
            .inUse,
            isShared
                ? "The store at \(directory.path) is open in \(process), which shares it, and perhaps in more: close it in all "
                    + "of them"
                    + (reason.map { ", because \($0)" } ?? ", or have a service open it with multiProcess as they do")
                : "The store at \(directory.path) is open in \(process): one process a directory; close it there first"
        )
    }

    private static func join(
        _ file: Int32,
        _ directory: StoreDirectory,
        _ deadline: Deadline
    ) throws(StoreError) -> Bool {
        guard passGate(file, deadline) else {
            guard isHeld(errno) else { throw directory.failure("lock", name) }
            throw StoreError(
                .timedOut,
                "Another process is still opening or closing the store at \(directory.path), perhaps "
                    + "\(holder(file, directory).process): try again later, or see what keeps it"
            )
        }
        if set(F_WRLCK, .owner, of: file) { return true }
        if set(F_RDLCK, .owner, of: file) { return false }
        guard isHeld(errno) else { throw directory.failure("lock", name) }
        throw StoreError(
            .inUse,
            "The store at \(directory.path) is open in \(holder(file, directory).process), which does not share it: close it "
                + "there first, or open it with multiProcess there as well"
        )
    }

    /// Waits for the gate; the system's own way of waiting knows no deadline.
    private static func passGate(_ file: Int32, _ deadline: Deadline) -> Bool {
        while !set(F_WRLCK, .gate, of: file) {
            guard isHeld(errno), !deadline.hasPassed else { return false }
            let code = errno
            usleep(pause)
            errno = code
        }
        return true
    }

    private static func isCurrent(_ file: Int32, in directory: StoreDirectory) -> Bool {
        var status = stat()
        guard unsafe fstat(file, &status) == 0 else { return false }
        return directory.status(of: name)?.inode == UInt64(status.st_ino)
    }

    /// Notes the number of this process, for messages only; the lock itself is what counts.
    private static func sign(_ file: Int32) {
        // Padded to one length, because to truncate the file first would take longer than the rest of opening a store.
        let number = "\(getpid())"
        let text = Array((number + String(repeating: " ", count: max(20 - number.count, 0)) + "\n").utf8)
        _ = unsafe text.withUnsafeBytes { unsafe pwrite(file, $0.baseAddress, $0.count, 0) }
    }

    /// How the store is held and, as far as its lock file tells, by whom.
    private static func holder(_ file: Int32, _ directory: StoreDirectory) -> (isShared: Bool, process: String) {
        var range = range(F_WRLCK, Byte.owner.rawValue)
        let isShared = unsafe fcntl(file, getLock, &range) == 0 && Int32(range.l_type) == F_RDLCK
        let text = directory.read(name).flatMap { String(validating: $0, as: UTF8.self) } ?? ""
        return (isShared, text.isEmpty ? "another process" : "process \(text.prefix { $0.isNumber })")
    }

    // MARK: The system's part

    /// `F_OFD_GETLK`, `F_OFD_SETLK` and `F_OFD_SETLKW`, which the Glibc module leaves out.
    private static let getLock: Int32 = 36
    static let setLock: Int32 = 37
    static let setLockWaiting: Int32 = 38

    /// A lock, or none, on one byte of the file.
    static func range(_ kind: Int32, _ byte: off_t) -> Glibc.flock {
        Glibc.flock(l_type: Int16(kind), l_whence: Int16(SEEK_SET), l_start: byte, l_len: 1, l_pid: 0)
    }

    private static func set(_ kind: Int32, _ byte: Byte, of file: Int32) -> Bool {
        var range = range(kind, byte.rawValue)
        return unsafe fcntl(file, setLock, &range) == 0
    }

    static func isHeld(_ code: Int32) -> Bool { code == EAGAIN || code == EACCES }
}
