import FoundationEssentials
import Glibc

/// The few calls of the system that tests of files need; each says whether it succeeded.
enum Files {
    static func makeDirectory(_ path: String) -> Bool { unsafe mkdir(path, 0o700) == 0 }

    static func link(_ target: String, from path: String) -> Bool { unsafe symlink(target, path) == 0 }

    @discardableResult
    static func setMode(_ path: String, _ mode: mode_t) -> Bool { unsafe chmod(path, mode) == 0 }

    static func setOwner(_ path: String, _ user: uid_t) -> Bool { unsafe chown(path, user, user) == 0 }

    @discardableResult
    static func remove(_ path: String) -> Bool { unsafe unlink(path) == 0 }

    static func truncate(_ path: String, to length: Int) -> Bool { unsafe Glibc.truncate(path, length) == 0 }

    static func mode(_ path: String) -> mode_t? { status(path).map { $0.st_mode & 0o777 } }

    static func size(_ path: String) -> Int? { status(path).map { Int($0.st_size) } }

    private static func status(_ path: String) -> stat? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? status : nil
    }

    static func overwrite(_ path: String, at offset: Int, with bytes: [UInt8]) -> Bool {
        let file = unsafe open(path, O_WRONLY)
        guard file >= 0 else { return false }
        defer { close(file) }
        return unsafe bytes.withUnsafeBytes { unsafe pwrite(file, $0.baseAddress, $0.count, offset) } == bytes.count
    }

    /// When a file was last read and changed.
    static func times(_ path: String) -> [timespec]? { status(path).map { [$0.st_atim, $0.st_mtim] } }

    static func setTimes(_ path: String, _ times: [timespec]) -> Bool {
        unsafe times.withUnsafeBufferPointer { unsafe utimensat(AT_FDCWD, path, $0.baseAddress, 0) } == 0
    }

    /// Copies the files of a directory, with the times they were last changed.
    static func copyDirectory(_ source: String, to target: String) throws {
        try FileManager.default.createDirectory(
            atPath: target,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        for name in try FileManager.default.contentsOfDirectory(atPath: source) {
            let (from, to) = ("\(source)/\(name)", "\(target)/\(name)")
            try Data(contentsOf: URL(filePath: from)).write(to: URL(filePath: to))
            setMode(to, 0o600)
            if let times = times(from) { _ = setTimes(to, times) }
        }
    }
}

extension Files {
    static func create(_ path: String, _ bytes: [UInt8]) -> Bool {
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard file >= 0 else { return false }
        defer { close(file) }
        return unsafe bytes.withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) } == bytes.count
    }

    static func read(_ path: String) -> [UInt8]? {
        guard let size = size(path) else { return nil }
        let file = unsafe open(path, O_RDONLY)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: size)
        return unsafe bytes.withUnsafeMutableBytes { unsafe pread(file, $0.baseAddress, $0.count, 0) } == size
            ? bytes : nil
    }

    /// Replaces the first occurrence of a text by another of the same length.
    static func replace(_ text: String, with other: String, in path: String) -> Bool {
        guard let bytes = read(path), let offset = bytes.firstRange(of: Array(text.utf8))?.lowerBound else {
            return false
        }
        return overwrite(path, at: offset, with: Array(other.utf8))
    }
}
