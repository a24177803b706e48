internal import Glibc
internal import LMDB

/// The file beside the data that says which state of it is surely on the disk.
///
/// Two places, written in turn, so that one is whole whenever the power fails.
final class CheckpointFile: Sendable {
    static let name = "CHECKPOINT"
    static let places = 2

    private let descriptor: Int32

    /// Opens the file of a store, making it if it is not there.
    init(_ directory: StoreDirectory) throws(StoreError) {
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC
        descriptor = unsafe openat(directory.descriptor, Self.name, flags, 0o600)
        guard descriptor >= 0 else { throw directory.failure("open", Self.name) }
        var status = stat()
        let bytes = Self.places * CheckpointRecord.byteCount
        guard unsafe fstat(descriptor, &status) == 0, Int(status.st_size) < bytes else {
            // A killed process may have left its newest record in the system's cache alone. The next is written over the
            // other one, which may be the only one on the disk.
            guard fdatasync(descriptor) == 0 else { throw directory.failure("sync", Self.name) }
            return
        }
        // All of it now: a full disk must not keep a later checkpoint from being noted.
        do throws(LMDBError) {
            try write([UInt8](repeating: 0, count: bytes), at: 0)
        } catch {
            throw .engine(error, path: directory.path, doing: "making \(Self.name)")
        }
        directory.synchronize()
    }

    deinit {
        Glibc.close(descriptor)
    }

    /// Writes a record into a place, and returns once it is on the disk.
    func write(_ record: CheckpointRecord, to place: Int) throws(LMDBError) {
        try write(record.encoded, at: place * CheckpointRecord.byteCount)
    }

    private func write(_ bytes: [UInt8], at offset: Int) throws(LMDBError) {
        let count = unsafe bytes.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, $0.count, offset) }
        guard count == bytes.count else { throw LMDBError(call: "pwrite", result: count < 0 ? errno : EIO) }
        guard fdatasync(descriptor) == 0 else { throw LMDBError(call: "fdatasync", result: errno) }
    }

    /// The newest record of a directory, and the one before it; with the place each is in.
    static func records(in directory: StoreDirectory) -> [(place: Int, record: CheckpointRecord)] {
        guard let bytes = directory.read(name, limit: places * CheckpointRecord.byteCount) else { return [] }
        var found: [(place: Int, record: CheckpointRecord)] = []
        for place in 0..<places {
            let start = min(place * CheckpointRecord.byteCount, bytes.count)
            let end = min(start + CheckpointRecord.byteCount, bytes.count)
            if let record = CheckpointRecord(bytes[start..<end]) { found.append((place, record)) }
        }
        return found.sorted { $0.record.sequence > $1.record.sequence }
    }

    /// The records that may fit the data file, the likeliest first.
    static func candidates(in directory: StoreDirectory) -> [CheckpointRecord] {
        let records = records(in: directory).map(\.record)
        guard let newest = records.first else { return [] }
        // Pages of the older one may have been used again, unless the newer one is of a copy that came to nothing.
        guard newest.isOfCopy else { return [newest] }
        let inode = directory.status(of: "data.mdb")?.inode
        return records.filter { $0.inode == inode } + records.filter { $0.inode != inode }
    }
}
