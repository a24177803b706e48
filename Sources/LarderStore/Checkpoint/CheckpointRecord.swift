internal import LMDB

/// A state of the store that is surely on the disk, as one of the two places of the checkpoint file holds it.
///
///      0  magic                      24  1 if it is of a compacted copy
///      8  format version             32  inode of the data file
///     16  sequence                   40  checksum of the rest
///                                  4096  the meta page
struct CheckpointRecord: Sendable, Hashable {
    static let byteCount = 8192

    private static let magic: UInt64 = 0x3150_4B48_4352_4C00
    private static let version: UInt64 = 1
    private static let pageOffset = 4096

    /// The higher of two is the newer one.
    let sequence: UInt64
    /// Whether it is of a copy that was about to take the data file's place: it may not have come to that.
    let isOfCopy: Bool
    /// The data file it is of; another number if the directory was copied meanwhile.
    let inode: UInt64
    let page: MetaPage

    init(sequence: UInt64, isOfCopy: Bool, inode: UInt64, page: MetaPage) {
        self.sequence = sequence
        self.isOfCopy = isOfCopy
        self.inode = inode
        self.page = page
    }

    /// Reads what a place of the file holds; `nil` if that was never written, or not to its end.
    init?(_ bytes: ArraySlice<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count == Self.byteCount else { return nil }
        var reader = ByteReader(bytes)
        guard reader.read(UInt64.self) == Self.magic, reader.read(UInt64.self) == Self.version,
            let sequence = reader.read(UInt64.self), let copy = reader.read(UInt64.self),
            let inode = reader.read(UInt64.self),
            reader.read(UInt64.self) == Self.checksum(bytes),
            let page = MetaPage(bytes: Array(bytes[Self.pageOffset...]))
        else { return nil }
        self.init(sequence: sequence, isOfCopy: copy == 1, inode: inode, page: page)
    }

    var encoded: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.pageOffset) + page.bytes
        bytes.store(Self.magic, at: 0)
        bytes.store(Self.version, at: 8)
        bytes.store(sequence, at: 16)
        bytes.store(UInt64(isOfCopy ? 1 : 0), at: 24)
        bytes.store(inode, at: 32)
        bytes.store(Self.checksum(bytes), at: 40)
        return bytes
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt64 {
        HashSeed(value: 0).checksum(of: Array(bytes[..<40]) + bytes[48...])
    }
}
