extension TraceFormat {
    /// Decides the format of a trace whose user named none.
    ///
    /// A known ending of the name decides. Otherwise the content does, where it is unmistakable: 32-bit and 64-bit keys
    /// of arbitrary value look alike, and a wrong guess would give a wrong report without a word.
    static func detect(_ trace: String, sample: ArraySlice<UInt8>) throws(ToolError) -> TraceFormat {
        if let compression = compression(of: sample) {
            throw .failure(
                "trace '\(trace)' is compressed (\(compression)); decompress it, "
                    + "or pipe it: \(compression) -dc FILE | larder replay - --format FORMAT"
            )
        }
        if let format = trace.split(separator: ".").last.flatMap({ TraceFormat(rawValue: $0.lowercased()) }) {
            return format
        }
        if isText(sample) { return isNumberPerLine(sample.dropFirst(sample.markLength)) ? .lirs : .csv }
        if isOracle(sample) { return .oracle }
        if let format = integers(sample) { return format }
        let known = allCases.map(\.rawValue).joined(separator: ", ")
        throw .failure("the format of trace '\(trace)' cannot be told from its name or content; give --format \(known)")
    }

    /// Refuses a trace whose first bytes cannot be of this format.
    func check(_ trace: String, sample: ArraySlice<UInt8>) throws(ToolError) {
        let remedy = "give the right --format, or leave it out"
        if recordSize == nil {
            guard !sample.contains(0) else {
                throw .failure("trace '\(trace)' holds binary data, not \(rawValue) lines; \(remedy)")
            }
        } else if sample.count >= 16, Self.isText(sample) {
            throw .failure("trace '\(trace)' is text, not \(rawValue) records; \(remedy)")
        }
    }

    private static func compression(of sample: ArraySlice<UInt8>) -> String? {
        if sample.starts(with: [0x1F, 0x8B]) { return "gzip" }
        if sample.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) { return "zstd" }
        if sample.starts(with: [0xFD, 0x37, 0x7A, 0x58, 0x5A]) { return "xz" }
        return nil
    }

    private static func isText(_ sample: ArraySlice<UInt8>) -> Bool {
        sample.allSatisfy { byte in
            switch byte {
            case 0x09, 0x0A, 0x0D, 0x20...0x7E, 0x80...0xF4: true
            default: false
            }
        } && isMostlyASCII(sample)
    }

    /// Keys may be any UTF-8, but random bytes above 0x7F are not text.
    private static func isMostlyASCII(_ sample: ArraySlice<UInt8>) -> Bool {
        guard sample.contains(where: { $0 >= 0x80 }) else { return true }
        // The sample may end inside a character.
        let whole = sample.dropLast(min(3, sample.count))
        return String(validating: whole, as: UTF8.self) != nil || String(validating: sample, as: UTF8.self) != nil
    }

    private static func isNumberPerLine(_ sample: ArraySlice<UInt8>) -> Bool {
        sample.split(separator: UInt8(ascii: "\n")).allSatisfy { line in
            line.first == UInt8(ascii: "*")
                || line.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x0D || $0 == 0x20 }
        }
    }

    /// Each record's time is not before its predecessor's, and its next access lies in the future, not too far.
    private static func isOracle(_ sample: ArraySlice<UInt8>) -> Bool {
        let recordSize = 24
        let count = sample.count / recordSize
        var lastTime: UInt64 = 0
        for index in 0..<count {
            let start = sample.startIndex + index * recordSize
            let time = sample.littleEndian(at: start, bytes: 4)
            let next = Int64(bitPattern: sample.littleEndian(at: start + 16, bytes: 8))
            guard time >= lastTime, next == -1 || (next > index && next < 1 << 40) else { return false }
            lastTime = time
        }
        return count > 0
    }

    /// Small keys give themselves away by their leading zeros.
    private static func integers(_ sample: ArraySlice<UInt8>) -> TraceFormat? {
        let words = stride(from: sample.startIndex, through: sample.endIndex - 4, by: 4)
            .map { sample.bigEndian(at: $0, bytes: 4) }
        guard words.count >= 8, words.allSatisfy({ $0 < 1 << 24 }) else { return nil }
        let upperHalves = stride(from: 0, to: words.count, by: 2).map { words[$0] }
        return upperHalves.allSatisfy { $0 == 0 } ? .i64be : .i32be
    }
}

extension ArraySlice<UInt8> {
    /// The length of the mark with which spreadsheets begin UTF-8: it is no part of the first key.
    var markLength: Int { starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0 }

    func littleEndian(at start: Int, bytes: Int) -> UInt64 {
        var value: UInt64 = 0
        for offset in 0..<bytes { value |= UInt64(self[start + offset]) << UInt64(8 * offset) }
        return value
    }

    func bigEndian(at start: Int, bytes: Int) -> UInt64 {
        var value: UInt64 = 0
        for offset in 0..<bytes { value = value << 8 | UInt64(self[start + offset]) }
        return value
    }
}
