/// The fields of one comma-separated line, with double quotes as in RFC 4180.
struct CSVLine {
    private var fields: [ArraySlice<UInt8>] = []

    /// Takes a line apart; `nil` when a quote does not close or something follows a closing one.
    init?(_ line: ArraySlice<UInt8>) {
        guard line.contains(UInt8(ascii: "\"")) else {
            fields = line.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            return
        }
        var rest = line
        while true {
            guard let field = Self.takeField(&rest) else { return nil }
            fields.append(field)
            guard let next = rest.popFirst() else { return }
            guard next == UInt8(ascii: ",") else { return nil }
        }
    }

    var count: Int { fields.count }

    subscript(_ index: Int) -> ArraySlice<UInt8> { fields[index] }

    /// Whether the line names its columns: a size that is no number beside a key that is none, or the lone word `key`.
    var isHeader: Bool {
        guard count == 2 else {
            return String(decoding: fields[0].trimmingSpaces, as: UTF8.self).lowercased() == "key"
        }
        return Int64(decimal: fields[0].trimmingSpaces) == nil
            && !fields[1].trimmingSpaces.isEmpty
            && !fields[1].contains { (0x30...0x39).contains($0) }
    }

    private static func takeField(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let quote = UInt8(ascii: "\"")
        guard rest.first == quote else {
            let field = rest.prefix { $0 != UInt8(ascii: ",") }
            rest = rest[field.endIndex...]
            return field
        }
        rest.removeFirst()
        var field: [UInt8] = []
        while let byte = rest.popFirst() {
            guard byte == quote else {
                field.append(byte)
                continue
            }
            // A doubled quote stands for one; a single one ends the field.
            guard rest.first == quote else { return field[...] }
            field.append(quote)
            rest.removeFirst()
        }
        return nil
    }
}
