internal import Glibc
internal import LMDB

/// The store's files inside its directory.
extension StoreDirectory {
    /// Refuses anything but plain files of one link in the places of the store's own.
    func checkFiles() throws(StoreError) {
        for name in Self.fileNames + [OwnerLock.name] {
            var status = stat()
            guard unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
                guard errno == ENOENT else { throw failure("look at", name) }
                continue
            }
            guard status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1 else {
                throw StoreError(
                    .unusableDirectory,
                    "\(path)/\(name) is a link or no plain file: remove it, or choose another directory"
                )
            }
        }
    }

    /// The size and the time of the last change of a file, or `nil` if it is not there.
    func status(of name: String) -> FileStatus? {
        var status = stat()
        guard unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        return FileStatus(
            inode: UInt64(status.st_ino),
            bytes: Int(status.st_size),
            modifiedNanoseconds: Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
        )
    }

    /// The bytes of a small file, or `nil` if it is not there or cannot be read.
    func read(_ name: String, limit: Int = 4096) -> [UInt8]? {
        (try? contents(of: name, limit: limit)) ?? nil
    }

    /// The bytes of a small file, or `nil` if it is not there.
    ///
    /// A file that cannot be read is not to be mistaken for one that is missing: the process may be short of descriptors.
    func contents(of name: String, limit: Int = 4096) throws(StoreError) -> [UInt8]? {
        let file = unsafe openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else {
            guard errno != ENOENT else { return nil }
            throw failure("read", name)
        }
        defer { Glibc.close(file) }
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe pread(file, $0.baseAddress, $0.count, 0) }
        guard count >= 0 else { throw failure("read", name) }
        return Array(bytes[..<count])
    }

    /// Replaces a small file in one step: afterwards it is the old one or the new one, if synced also after power loss.
    func replace(_ name: String, with bytes: [UInt8], isSynced: Bool = true) throws(StoreError) {
        let temporary = name + ".new"
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC
        let file = unsafe openat(descriptor, temporary, flags, 0o600)
        guard file >= 0 else { throw failure("write", temporary) }
        let written = unsafe bytes.withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
        // A disk that fills up in the middle takes a part and reports nothing.
        var code = written == bytes.count ? 0 : written < 0 ? errno : ENOSPC
        if code == 0, isSynced, fsync(file) != 0 { code = errno }
        Glibc.close(file)
        if code == 0, unsafe renameat(descriptor, temporary, descriptor, name) != 0 { code = errno }
        guard code == 0 else {
            remove(temporary)
            throw failure("write", name, code)
        }
        if isSynced { synchronize() }
    }

    /// Overwrites a small file in its place: no more room is needed than it takes already.
    func overwrite(_ name: String, with bytes: [UInt8]) throws(StoreError) {
        let file = unsafe openat(descriptor, name, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else { throw failure("write", name) }
        defer { Glibc.close(file) }
        let written = unsafe bytes.withUnsafeBytes { unsafe pwrite(file, $0.baseAddress, $0.count, 0) }
        guard written == bytes.count else { throw failure("write", name, written < 0 ? errno : ENOSPC) }
        guard fdatasync(file) == 0 else { throw failure("write", name) }
    }

    /// Removes a file, if it is there.
    func remove(_ name: String) {
        unsafe unlinkat(descriptor, name, 0)
    }

    /// Makes the names in the directory survive power loss.
    func synchronize() {
        // Not every file system can; those that cannot have no lasting names to lose.
        fsync(descriptor)
    }

    func failure(_ action: String, _ name: String, _ code: Int32 = errno) -> StoreError {
        let (kind, remedy): (StoreError.Code, String) =
            switch code {
            case ENOSPC, EDQUOT: (.noSpace, "free disk space")
            case EMFILE, ENFILE: (.storageFailed, "allow the process more open files, or close some")
            case EIO: (.storageFailed, "look for a failing disk")
            case EROFS: (.unusableDirectory, "the file system must be writable")
            case ENOENT: (.unusableDirectory, "the directory must not be removed while the store is open")
            default: (.unusableDirectory, "check its rights")
            }
        return StoreError(
            kind,
            "Could not \(action) \(path)/\(name) (\(Self.message(code))): \(remedy)",
            cause: LMDBError(call: "\(action) \(name)", result: code)
        )
    }

    /// Moves the store's files into a fresh directory beside them, and removes that of an earlier time.
    ///
    /// Returns its path, or `nil` if the files had to be deleted because they could not be moved.
    func setAside(_ files: [String] = fileNames, now: WallTime) throws(StoreError) -> String? {
        let name = "quarantine-\(now.nanoseconds / 1_000_000_000)"
        removeQuarantines()
        let isMade = unsafe mkdirat(descriptor, name, 0o700) == 0
        var isKept = isMade
        for file in files {
            if isMade, unsafe renameat(descriptor, file, descriptor, "\(name)/\(file)") == 0 { continue }
            guard status(of: file) != nil else { continue }
            isKept = false
            guard unsafe unlinkat(descriptor, file, 0) == 0 else { throw failure("set aside", file) }
        }
        synchronize()
        return isKept ? "\(path)/\(name)" : nil
    }

    /// Removes directories of earlier recoveries: at most one is kept, or damage would fill the disk.
    func removeQuarantines() {
        for entry in entries() where entry.hasPrefix("quarantine-") {
            for file in Self.fileNames { unsafe unlinkat(descriptor, "\(entry)/\(file)", 0) }
            unsafe unlinkat(descriptor, entry, AT_REMOVEDIR)
        }
    }

    private func entries() -> [String] {
        // A descriptor of its own: reading a directory moves its position.
        let listing = unsafe openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard listing >= 0 else { return [] }
        guard let stream = unsafe fdopendir(listing) else {
            Glibc.close(listing)
            return []
        }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            // Safety: d_name is a terminated string inside the entry, copied before the next readdir.
            unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) {
                    names.append(unsafe String(cString: $0))
                }
            }
        }
        return names
    }
}

/// What the directory says about a file.
struct FileStatus: Sendable, Hashable {
    let inode: UInt64
    let bytes: Int
    let modifiedNanoseconds: Int64
}

extension StoreDirectory {
    /// Deletes the store's files and, if nothing else is left, the directory.
    static func destroy(at path: String) throws(StoreError) {
        let path = withoutTrailingSlashes(path)
        var status = stat()
        guard unsafe lstat(path, &status) == 0 || errno != ENOENT else { return }
        let directory = try StoreDirectory(path: path)
        guard !StoreRegistry.shared.contains(directory.identity) else {
            throw StoreError(.inUse, "The store at \(path) is open in this process: close it before destroying it")
        }
        let lock = try OwnerLock(directory)
        for name in fileNames + [StateFile.name + ".new", AccessSketch.fileName + ".new", OwnerLock.name] {
            guard unsafe unlinkat(directory.descriptor, name, 0) == 0 || errno == ENOENT else {
                throw directory.failure("remove", name)
            }
        }
        directory.removeQuarantines()
        withExtendedLifetime(lock) {}
        unsafe rmdir(path)
    }
}
