internal import FoundationEssentials
internal import Larder
internal import LarderStore

/// Keys as people write them, by the kind a table has.
enum KeyText {
    /// The bytes of a key given as text.
    static func bytes(_ text: String, kind: String, isHex: Bool) throws(ToolError) -> [UInt8] {
        if isHex { return try hex(text, name: "the key") }
        switch kind {
        case String.storeKeyKind: return text.storeKeyBytes
        case [UInt8].storeKeyKind: return Array(text.utf8)
        case UUID.storeKeyKind:
            guard let uuid = UUID(uuidString: text) else {
                throw .failure("the key '\(text)' is no UUID, which the table's keys are; give one, or use --hex")
            }
            return uuid.storeKeyBytes
        default:
            guard let integer = integers.first(where: { $0.storeKeyKind == kind }) else {
                throw .failure("keys of kind '\(kind)' have no text form; give the key's bytes with --hex")
            }
            guard let bytes = integerBytes(text, integer) else {
                throw .failure(
                    "the key '\(text)' is no \(kind), which the table's keys are; give a whole number in range"
                )
            }
            return bytes
        }
    }

    /// A key as one line of text.
    static func text(_ bytes: [UInt8], kind: String, isHex: Bool) -> String {
        if isHex { return hexText(bytes) }
        switch kind {
        case UUID.storeKeyKind:
            if let uuid = UUID(storeKeyBytes: bytes) { return uuid.uuidString }
        case String.storeKeyKind, [UInt8].storeKeyKind:
            if let text = String(validating: bytes, as: UTF8.self) { return text.onOneLine }
        default:
            if let integer = integers.first(where: { $0.storeKeyKind == kind }),
                let text = integerText(bytes, integer)
            {
                return text
            }
        }
        return "0x" + hexText(bytes)
    }

    static func hex(_ text: String, name: String) throws(ToolError) -> [UInt8] {
        let digits = text.utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count % 2 == 0, !digits.contains(nil) else {
            throw .usage(
                "\(name) '\(text)' is not in hexadecimal; give pairs of the digits 0-9 and a-f, or leave out --hex"
            )
        }
        let values = digits.compactMap(\.self)
        return stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
    }

    static func hexText(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    private static let integers: [any (StoreKey & FixedWidthInteger).Type] = [
        Int8.self, Int16.self, Int32.self, Int64.self, UInt8.self, UInt16.self, UInt32.self, UInt64.self,
    ]

    private static func integerBytes<Key: StoreKey & FixedWidthInteger>(_ text: String, _: Key.Type) -> [UInt8]? {
        Key(text)?.storeKeyBytes
    }

    private static func integerText<Key: StoreKey & FixedWidthInteger>(_ bytes: [UInt8], _: Key.Type) -> String? {
        Key(storeKeyBytes: bytes)?.description
    }
}
