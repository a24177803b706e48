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

    /// Calls `body` with the canonical bytes of the key.
    ///
    /// This is what lookups and writes call. By default it makes `storeKeyBytes` first; a type whose bytes lie somewhere
    /// already saves that copy by lending them.
    func withStoreKeyBytes<R, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R
}

extension StoreKey {
    /// Calls `body` with `storeKeyBytes`.
    @inlinable
    public func withStoreKeyBytes<R, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        // Safety: bytes have no padding; so below.
        try unsafe body(storeKeyBytes.span.bytes)
    }
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

    /// Calls `body` with the bytes of the string itself, if they are ASCII, and with `storeKeyBytes` if not.
    @inlinable
    public func withStoreKeyBytes<R, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        let utf8 = self.utf8
        let bytes = unsafe utf8.span.bytes
        guard bytes.isASCII else { return try unsafe body(storeKeyBytes.span.bytes) }
        return try body(bytes)
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

    /// Calls `body` with the bytes of `storeKeyBytes`, made without an array.
    @inlinable
    public func withStoreKeyBytes<R, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        let flipped = (Self.isSigned ? self ^ (1 << (Self.bitWidth - 1)) : self).bigEndian
        // Safety: an integer of fixed width is all bytes, and the span ends with the closure.
        return try unsafe withUnsafeBytes(of: flipped) { (bytes) throws(E) -> R in
            try unsafe body(RawSpan(_unsafeBytes: bytes))
        }
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

    /// Calls `body` with the bytes themselves.
    @inlinable
    public func withStoreKeyBytes<R, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        try unsafe body(span.bytes)
    }
}

extension RawSpan {
    /// Whether every byte is below 0x80.
    @usableFromInline
    var isASCII: Bool {
        var mixed: UInt64 = 0
        var offset = 0
        while offset + 8 <= byteCount {
            // Safety: every bit pattern is a number, and the offset was just checked.
            unsafe mixed |= unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
            offset += 8
        }
        while offset < byteCount {
            // Safety: as above.
            unsafe mixed |= UInt64(unsafeLoad(fromByteOffset: offset, as: UInt8.self))
            offset += 1
        }
        return mixed & 0x8080_8080_8080_8080 == 0
    }
}
