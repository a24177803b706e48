/// Appends little-endian numbers and length-prefixed texts.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    mutating func write<Number: FixedWidthInteger>(_ number: Number) {
        for index in 0..<(Number.bitWidth / 8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> Number(index * 8)))
        }
    }

    mutating func write(_ text: String) {
        write(UInt32(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }
}

/// Reads what `ByteWriter` wrote; `nil` where the bytes end early.
struct ByteReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { position == bytes.count }

    mutating func read<Number: FixedWidthInteger & BitwiseCopyable>(_ type: Number.Type) -> Number? {
        let width = Number.bitWidth / 8
        guard bytes.count - position >= width else { return nil }
        defer { position += width }
        return bytes.load(type, at: position)
    }

    mutating func readText() -> String? {
        guard let count = read(UInt32.self).map({ Int($0) }), bytes.count - position >= count else { return nil }
        defer { position += count }
        return String(validating: bytes[position..<(position + count)], as: UTF8.self)
    }
}
