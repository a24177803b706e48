public import FoundationEssentials
@_spi(_Unicode) internal import Swift

/// A type whose values can name records.
///
/// Equal keys must have equal bytes and different keys different ones; the bytes may be of any length, also none. They
/// stay on the disk, so they must not change with the version of a program.
public protocol StoreKey: Hashable, Sendable {
    /// The name of the encoding, stored with a table: a table is opened again only with keys of the same one.
    static var storeKeyKind: String { get }

    /// The canonical bytes of the key.
    var storeKeyBytes: [UInt8] { get }

    /// The key of bytes that `storeKeyBytes` made, or `nil` for others.
    init?(storeKeyBytes bytes: [UInt8])
}

extension String: StoreKey {
    /// Text in Unicode's composed normal form.
    public static var storeKeyKind: String { "string" }

    /// The UTF-8 of the composed normal form, so that canonically equal strings are one key.
    public var storeKeyBytes: [UInt8] {
        let utf8 = Array(self.utf8)
        // ASCII is its own normal form.
        guard utf8.contains(where: { $0 >= 0x80 }) else { return utf8 }
        return _nfc.reduce(into: []) { bytes, character in
            bytes.append(contentsOf: UTF8.encode(character).map(Array.init) ?? [])
        }
    }

    /// The text, equal to the one the bytes came from; `nil` for bytes that are not UTF-8.
    public init?(storeKeyBytes bytes: [UInt8]) {
        self.init(validating: bytes, as: UTF8.self)
    }
}

extension StoreKey where Self: FixedWidthInteger {
    /// Integers of one width and sign.
    public static var storeKeyKind: String { "\(isSigned ? "int" : "uint")\(bitWidth)" }

    /// The integer with the most significant byte first and the sign flipped, so that bytes sort as numbers do.
    public var storeKeyBytes: [UInt8] {
        let width = Self.bitWidth / 8
        var bytes = (0..<width).map { UInt8(truncatingIfNeeded: self >> Self((width - 1 - $0) * 8)) }
        if Self.isSigned { bytes[0] ^= 0x80 }
        return bytes
    }

    /// The integer; `nil` for bytes of another width.
    public init?(storeKeyBytes bytes: [UInt8]) {
        guard bytes.count == Self.bitWidth / 8 else { return nil }
        var bytes = bytes
        if Self.isSigned { bytes[0] ^= 0x80 }
        self = bytes.reduce(0) { $0 << 8 | Self(truncatingIfNeeded: $1) }
    }
}

extension Int: StoreKey {}
extension Int8: StoreKey {}
extension Int16: StoreKey {}
extension Int32: StoreKey {}
extension Int64: StoreKey {}
extension UInt: StoreKey {}
extension UInt8: StoreKey {}
extension UInt16: StoreKey {}
extension UInt32: StoreKey {}
extension UInt64: StoreKey {}

extension UUID: StoreKey {
    /// Universally unique identifiers.
    public static var storeKeyKind: String { "uuid" }

    /// The sixteen bytes.
    public var storeKeyBytes: [UInt8] {
        // Safety: uuid_t is sixteen bytes without padding, copied before the closure ends.
        unsafe withUnsafeBytes(of: uuid) { unsafe Array($0) }
    }

    /// The identifier; `nil` unless there are sixteen bytes.
    public init?(storeKeyBytes bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        // Safety: uuid_t is sixteen plain bytes, and there are sixteen.
        self.init(uuid: unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(as: uuid_t.self) })
    }
}

extension Data: StoreKey {
    /// Bytes.
    public static var storeKeyKind: String { "bytes" }

    /// The bytes themselves.
    public var storeKeyBytes: [UInt8] { [UInt8](self) }

    /// The bytes themselves.
    public init?(storeKeyBytes bytes: [UInt8]) {
        self.init(bytes)
    }
}

extension [UInt8]: StoreKey {
    /// Bytes, interchangeable with those of `Data`.
    public static var storeKeyKind: String { "bytes" }

    /// The bytes themselves.
    public var storeKeyBytes: [UInt8] { self }

    /// The bytes themselves.
    public init?(storeKeyBytes bytes: [UInt8]) {
        self = bytes
    }
}
