internal import Glibc
internal import LMDB

/// The directory of a store, opened, checked and locked.
///
/// Everything about it is done through its descriptor, so that nobody can swap the directory meanwhile.
@safe
final class StoreDirectory: Sendable {
    /// The directory's device and inode: what two paths to one store have in common.
    struct Identity: Hashable, Sendable {
        let device: UInt64
        let inode: UInt64
    }

    /// What belongs to one data file, and goes where that goes.
    static let dataNames = ["data.mdb", "lock.mdb", CheckpointFile.name, AccessSketch.fileName]
    static let fileNames = dataNames + [StateFile.name]

    let path: String
    let descriptor: Int32
    let identity: Identity

    /// Opens the directory; makes it and its parents if they are not there, unless told not to.
    init(path: String, creates: Bool = true) throws(StoreError) {
        let path = Self.withoutTrailingSlashes(path)
        guard !path.isEmpty else {
            throw StoreError(.unusableDirectory, "The path of the store is empty: give the path of a directory")
        }
        if creates { try Self.create(path) }
        let descriptor = unsafe Glibc.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else {
            guard creates || errno != ENOENT else { throw .notFound(path) }
            throw Self.refusal(path, errno)
        }
        do throws(StoreError) {
            identity = try Self.checked(descriptor, path)
        } catch {
            Glibc.close(descriptor)
            throw error
        }
        self.path = path
        self.descriptor = descriptor
    }

    deinit {
        Glibc.close(descriptor)
    }

    /// A trailing slash would make the system follow a symbolic link.
    static func withoutTrailingSlashes(_ path: String) -> String {
        var path = path[...]
        while path.count > 1, path.hasSuffix("/") { path = path.dropLast() }
        return String(path)
    }

    private static func create(_ path: String) throws(StoreError) {
        guard unsafe mkdir(path, 0o700) != 0 else { return synchronizeParent(of: path) }
        switch errno {
        case EEXIST:
            return
        case ENOENT:
            guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { throw refusal(path, ENOENT) }
            try create(withoutTrailingSlashes(String(path[..<slash])))
            guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw refusal(path, errno) }
            synchronizeParent(of: path)
        default:
            throw refusal(path, errno)
        }
    }

    /// A new directory survives power loss, and with it what will be promised of its content.
    private static func synchronizeParent(of path: String) {
        let parent = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = unsafe Glibc.open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        Glibc.close(descriptor)
    }

    private static func refusal(_ path: String, _ code: Int32) -> StoreError {
        // O_NOFOLLOW with O_DIRECTORY answers ENOTDIR for a link as for a file.
        var status = stat()
        let isLink = unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
        let reason =
            switch code {
            case _ where isLink: "it is a symbolic link: give the path it leads to"
            case ENOTDIR: "it or a part of the path is a file: choose the path of a directory"
            case EACCES, EPERM: "permission is missing: choose a directory this user may write to"
            case EROFS: "the file system is read-only: choose another one"
            case ENOSPC, EDQUOT: "there is no space left: free some"
            case EMFILE, ENFILE: "the process has too many open files: allow it more, or close some"
            default: "\(message(code)): choose another directory"
            }
        let kind: StoreError.Code =
            switch code {
            case ENOSPC, EDQUOT: .noSpace
            case EMFILE, ENFILE: .storageFailed
            default: .unusableDirectory
            }
        return StoreError(
            kind,
            "No store can be opened at \(path), because \(reason)",
            cause: LMDBError(call: "open the directory", result: code)
        )
    }

    private static func checked(_ descriptor: Int32, _ path: String) throws(StoreError) -> Identity {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw refusal(path, errno) }
        guard status.st_uid == geteuid() else {
            throw StoreError(
                .unusableDirectory,
                "The directory \(path) belongs to user \(status.st_uid), not to user \(geteuid()): use one of your own"
            )
        }
        guard status.st_mode & 0o022 == 0 else {
            throw StoreError(
                .unusableDirectory,
                "Others may write to the directory \(path) (mode \(String(status.st_mode & 0o777, radix: 8))): chmod go-w it"
            )
        }
        guard unsafe faccessat(descriptor, ".", W_OK | X_OK, 0) == 0 else { throw refusal(path, errno) }
        if let name = FileSystem.network(ofDescriptor: descriptor) {
            throw StoreError(
                .unusableDirectory,
                "The directory \(path) is on \(name), where memory maps and locks cannot be trusted: use a local disk"
            )
        }
        return Identity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }

    /// The system's words for an `errno` value.
    static func message(_ code: Int32) -> String {
        // Safety: strerror's buffer is copied before another call could overwrite it.
        unsafe String(cString: strerror(code))
    }
}
