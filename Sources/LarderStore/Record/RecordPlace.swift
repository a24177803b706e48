/// Where a record lies: the pack it is in and the byte it begins at, put together to its sequence number.
///
/// Packs are numbered in the order of writing, so that sequences are too.
struct RecordPlace: Sendable, Hashable, CustomStringConvertible {
    private static let offsetBits: UInt64 = 16

    /// The number above those that packs can have; a million a second reach it in nine years.
    static let packLimit: UInt64 = 1 << (64 - offsetBits)
    /// The most that an offset can be.
    static let lastOffset = 1 << Int(offsetBits) - 1

    /// The key of the pack in the data.
    let pack: UInt64
    let offset: Int

    /// The place at the beginning of a pack, or in it.
    init(pack: UInt64, offset: Int = 0) {
        self.pack = pack
        self.offset = offset
    }

    init(_ sequence: UInt64) {
        pack = sequence >> Self.offsetBits
        offset = Int(sequence & (1 << Self.offsetBits - 1))
    }

    /// The number that stands for the place in headers, the index and extensions.
    var sequence: UInt64 { pack << Self.offsetBits | UInt64(offset) }

    var description: String { "\(pack):\(offset)" }
}
