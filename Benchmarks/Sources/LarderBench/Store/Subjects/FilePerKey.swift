internal import Foundation

/// One file a key in one directory, written in place and, unless asked for, not synced: as little as files can cost.
struct FilePerKey: PersistentStore {
    static let name = "files"
    static let isMapped = false

    fileprivate let directory: String
    fileprivate let durability: BenchDurability

    init(in directory: String, _ durability: BenchDurability) throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        self.directory = directory
        self.durability = durability
    }

    func session() throws -> FileSession {
        try FileSession(self)
    }

    func count() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: directory).count
    }

    func close() {}
}

final class FileSession: StoreSession {
    private let directory: Int32
    private let syncs: Bool

    init(_ store: FilePerKey) throws {
        syncs = store.durability == .strict
        directory = unsafe open(store.directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw FileFailure(call: "open", code: errno) }
    }

    deinit {
        Foundation.close(directory)
    }

    func value(forKey key: String) throws -> [UInt8]? {
        let file = unsafe openat(directory, key, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            guard errno == ENOENT else { throw FileFailure(call: "openat", code: errno) }
            return nil
        }
        defer { Foundation.close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0 else { throw FileFailure(call: "fstat", code: errno) }
        let size = Int(status.st_size)
        // Safety: no more bytes are read than there is room for, and as many are claimed as were read.
        return try unsafe [UInt8](unsafeUninitializedCapacity: size) { (bytes, count) throws in
            guard unsafe read(file, bytes.baseAddress, size) == size else {
                throw FileFailure(call: "read", code: errno)
            }
            count = size
        }
    }

    func put(_ value: [UInt8], forKey key: String) throws {
        let file = unsafe openat(directory, key, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw FileFailure(call: "openat", code: errno) }
        defer { Foundation.close(file) }
        // Safety: the bytes live until the closure ends.
        let written = unsafe value.withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
        guard written == value.count else { throw FileFailure(call: "write", code: errno) }
        guard syncs else { return }
        guard fdatasync(file) == 0, fdatasync(directory) == 0 else { throw FileFailure(call: "fdatasync", code: errno) }
    }

    func flush() {}
}

/// The system refused.
struct FileFailure: Error, CustomStringConvertible {
    let call: String
    let code: Int32

    var description: String { unsafe "\(call): \(String(cString: strerror(code)))" }
}
