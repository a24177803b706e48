/// The sketch between two sessions: a file of which nothing depends but what is evicted first.
extension AccessSketch {
    static let fileName = "ACCESS"

    private static let mark = Array("larder access 1\n".utf8)
    private static let headerBytes = mark.count + 8

    /// Leaves the sketch to the next opening; a file that cannot be written is left out.
    ///
    /// Not synced: one that power loss has torn does not have its checksum.
    func save(in directory: StoreDirectory, seed: HashSeed) {
        let words = content
        var bytes = Self.mark + [UInt8](repeating: 0, count: 8 * (1 + words.count))
        for (index, word) in words.enumerated() { bytes.store(word, at: Self.headerBytes + 8 * index) }
        bytes.store(seed.checksum(of: bytes[Self.headerBytes...]), at: Self.mark.count)
        try? directory.replace(Self.fileName, with: bytes, isSynced: false)
    }

    /// Adds what the last session left.
    ///
    /// Nothing of a file that is damaged, or that is another store's: the checksum is taken with the store's own seed.
    func load(from directory: StoreDirectory, seed: HashSeed) {
        guard let status = directory.status(of: Self.fileName), status.bytes <= Self.headerBytes + 8 * limit,
            let bytes = directory.read(Self.fileName, limit: status.bytes), bytes.count > Self.headerBytes,
            bytes.starts(with: Self.mark)
        else { return }
        let content = bytes[Self.headerBytes...]
        let count = content.count / 8
        guard content.count == 8 * count, count & (count - 1) == 0,
            bytes.load(UInt64.self, at: Self.mark.count) == seed.checksum(of: content)
        else { return }
        add((0..<count).map { bytes.load(UInt64.self, at: Self.headerBytes + 8 * $0) })
    }
}
