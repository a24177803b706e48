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
}
