/// The bytes stored under a key: derived from the key and their own number, so that a hit can be checked without a copy
/// of what was stored, and a cut-off value is as wrong as a foreign one.
enum ReplayValue {
    /// How many bytes a value has.
    enum Length: Equatable {
        case fixed(Int)

        /// The recorded size up to a maximum; another number where none is recorded.
        case recorded(upTo: Int, otherwise: Int)

        /// Real traces record gigabytes; the check needs a few hundred bytes.
        static let standard = Length.recorded(upTo: 1024, otherwise: 64)

        func bytes(for request: TraceRequest) -> Int {
            switch self {
            case .fixed(let count): count
            case .recorded(let maximum, let otherwise): request.size.map { min($0, maximum) } ?? otherwise
            }
        }
    }

    static func bytes(forKey key: Int64, count: Int) -> [UInt8] {
        var words = words(forKey: key, count: count)
        return [UInt8](capacity: count) { output in
            var word: UInt64 = 0
            for index in 0..<count {
                word = index % 8 == 0 ? words.next() : word >> 8
                output.append(UInt8(truncatingIfNeeded: word))
            }
        }
    }

    static func isRight(_ value: [UInt8], forKey key: Int64) -> Bool {
        var words = words(forKey: key, count: value.count)
        // Safety: the span is of plain bytes and does not outlive the array.
        let bytes = unsafe value.span.bytes
        var offset = 0
        // Word by word: at a byte each, the check would take longer than the lookup that it checks.
        while offset + 8 <= bytes.byteCount {
            // Safety: the eight bytes lie inside the span, and every bit pattern is an integer.
            let word = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
            guard word == words.next().littleEndian else { return false }
            offset += 8
        }
        guard offset < bytes.byteCount else { return true }
        var word = words.next()
        for index in offset..<bytes.byteCount {
            guard value[index] == UInt8(truncatingIfNeeded: word) else { return false }
            word >>= 8
        }
        return true
    }

    private static func words(forKey key: Int64, count: Int) -> SplitMix64 {
        SplitMix64(seed: SplitMix64.mix(UInt64(bitPattern: key)) ^ UInt64(count))
    }
}
