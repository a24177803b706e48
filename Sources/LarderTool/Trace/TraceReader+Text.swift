extension TraceReader {
    /// Reads one number of `lirs`, past markers and blank lines.
    mutating func nextNumberLine() throws(ToolError) -> TraceRequest? {
        while let range = try input.nextLine() {
            let line = input.buffer[range].trimmingSpaces
            guard let first = line.first, first != UInt8(ascii: "*") else { continue }
            guard let key = Int64(decimal: line) else {
                throw malformedLine(line, "is not a whole number from 0 to \(Int64.max)")
            }
            return TraceRequest(key: key, size: nil)
        }
        return nil
    }

    /// Reads one line of `csv`, past a header and blank lines.
    mutating func nextCSV() throws(ToolError) -> TraceRequest? {
        while let range = try input.nextLine() {
            let line = input.buffer[range]
            guard !line.trimmingSpaces.isEmpty else { continue }
            guard let fields = CSVLine(line) else {
                throw malformedLine(line, "has a quote that does not close, or text after one")
            }
            guard fields.count <= 2 else {
                throw malformedLine(line, "has \(fields.count) fields, but a line is key or key,size")
            }
            if input.lineNumber == 1, fields.isHeader { continue }
            var size: Int?
            if fields.count == 2 {
                guard let number = Int(decimal: fields[1].trimmingSpaces) else {
                    throw malformedLine(line, "has a size that is not a whole number from 0 to \(Int.max)")
                }
                size = number
            }
            return TraceRequest(key: Self.key(fields[0]), size: size)
        }
        return nil
    }

    /// The key that a text stands for: a whole number is itself; anything else is hashed, the same in every process.
    ///
    /// Only the usual spelling counts as a number: `007` and `7` are two keys. A hash may fall on another key with a
    /// probability of about n² / 2⁶⁵ for n keys.
    static func key(_ text: ArraySlice<UInt8>) -> Int64 {
        if let number = Int64(String(decoding: text, as: UTF8.self)), "\(number)".utf8.elementsEqual(text) {
            return number
        }
        // FNV-1a, finished by a mixer: its own high bits are weak for short texts.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in text { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return Int64(bitPattern: SplitMix64.mix(hash))
    }
}

extension Collection<UInt8> where SubSequence == ArraySlice<UInt8> {
    /// Without the spaces and tabs at both ends.
    var trimmingSpaces: ArraySlice<UInt8> {
        var rest = self[...]
        while let first = rest.first, first == 0x20 || first == 0x09 { rest.removeFirst() }
        while let last = rest.last, last == 0x20 || last == 0x09 || last == 0x0D { rest.removeLast() }
        return rest
    }
}

extension FixedWidthInteger {
    /// Reads ASCII digits and nothing else; `nil` for anything else, also past the type's range.
    init?(decimal digits: ArraySlice<UInt8>) {
        guard !digits.isEmpty else { return nil }
        var value: Self = 0
        for digit in digits {
            guard (0x30...0x39).contains(digit) else { return nil }
            let (shifted, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = shifted.addingReportingOverflow(Self(digit - 0x30))
            guard !overflow, !carry else { return nil }
            value = sum
        }
        self = value
    }
}
