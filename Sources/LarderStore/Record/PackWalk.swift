/// The records in the bytes of a pack, found by their headers: those that have died too, for only the index knows.
struct PackWalk {
    /// The intact headers in the order they lie in.
    private(set) var headers: [RecordHeader] = []

    /// How many stretches of bytes are no records.
    private(set) var gaps = 0

    /// Walks the bytes stored under a number.
    ///
    /// A header that is damaged hides only its own record: each says where it lies, so the next is found by looking for one
    /// that says so.
    init(_ bytes: RawSpan, pack: UInt64, seed: HashSeed) {
        var offset = 0
        while offset < bytes.byteCount {
            if let header = Self.header(bytes, RecordPlace(pack: pack, offset: offset), seed) {
                headers.append(header)
                offset += header.recordBytes
            } else {
                gaps += 1
                guard let next = Self.next(after: offset, in: bytes, pack, seed) else { return }
                offset = next
            }
        }
    }

    private static func next(after offset: Int, in bytes: RawSpan, _ pack: UInt64, _ seed: HashSeed) -> Int? {
        let last = min(bytes.byteCount - RecordHeader.byteCount, RecordPlace.lastOffset)
        guard offset < last else { return nil }
        return ((offset + 1)...last).first { candidate in
            let place = RecordPlace(pack: pack, offset: candidate)
            return RecordHeader.sequence(in: bytes, at: candidate) == place.sequence
                && header(bytes, place, seed) != nil
        }
    }

    private static func header(_ bytes: RawSpan, _ place: RecordPlace, _ seed: HashSeed) -> RecordHeader? {
        guard place.offset <= RecordPlace.lastOffset, place.offset + RecordHeader.byteCount <= bytes.byteCount,
            let header = RecordHeader(
                bytes.extracting(place.offset..<bytes.byteCount),
                sequence: place.sequence,
                seed: seed
            )
        else { return nil }
        // A record in pieces begins here and goes on under the next numbers.
        let isInPieces = place.offset == 0 && RecordPieces.count(header.recordBytes) > 1
        return isInPieces || place.offset + header.recordBytes <= bytes.byteCount ? header : nil
    }
}
