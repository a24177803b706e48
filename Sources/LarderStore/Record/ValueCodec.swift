public import FoundationEssentials

/// How values become bytes and back.
///
/// Its `id` is stored with each record: a record written with another codec is a miss, never wrongly decoded. Encoding
/// and decoding run on the caller's thread outside every lock and transaction, so both may call the store.
public struct ValueCodec<Value>: Sendable {
    /// The number stored with each record; those below 256 belong to the codecs of this module.
    public let id: UInt16

    private let encoder: @Sendable (Value) throws -> [UInt8]
    @usableFromInline
    let decoder: @Sendable ([UInt8]) throws -> Value

    init(
        id: UInt16,
        encode: @escaping @Sendable (Value) throws -> [UInt8],
        decode: @escaping @Sendable ([UInt8]) throws -> Value
    ) {
        self.id = id
        self.encoder = encode
        self.decoder = decode
    }

    /// The bytes of a value, or the error of the codec's own closure.
    public func encode(_ value: Value) throws -> [UInt8] {
        try encoder(value)
    }

    /// The value of bytes that `encode` made, or the error of the codec's own closure.
    @inlinable
    public func decode(_ bytes: [UInt8]) throws -> Value {
        try decoder(bytes)
    }

    /// A codec of your own.
    ///
    /// The number tells your codecs apart: give each format, and each incompatible change of one, its own.
    public static func custom(
        id: UInt8,
        encode: @escaping @Sendable (Value) throws -> [UInt8],
        decode: @escaping @Sendable ([UInt8]) throws -> Value
    ) -> ValueCodec {
        ValueCodec(id: 256 + UInt16(id), encode: encode, decode: decode)
    }
}

/// Why bytes are no value of the type asked for.
struct MalformedValue: Error, CustomStringConvertible {
    let description: String
}

extension ValueCodec where Value == [UInt8] {
    /// Bytes as they are.
    public static var bytes: ValueCodec { ValueCodec(id: 1, encode: { $0 }, decode: { $0 }) }
}

extension ValueCodec where Value == Data {
    /// Data as it is; interchangeable with `bytes`.
    public static var data: ValueCodec { ValueCodec(id: 1, encode: { [UInt8]($0) }, decode: { Data($0) }) }
}

extension ValueCodec where Value == String {
    /// Text as UTF-8, scalar for scalar.
    public static var string: ValueCodec {
        ValueCodec(
            id: 2,
            encode: { Array($0.utf8) },
            decode: {
                guard let text = String(validating: $0, as: UTF8.self) else {
                    throw MalformedValue(description: "the bytes are not UTF-8")
                }
                return text
            }
        )
    }
}

extension ValueCodec where Value: FixedWidthInteger & Sendable {
    /// An integer in its own width, least significant byte first.
    public static var integer: ValueCodec {
        let width = Value.bitWidth / 8
        // The width and the sign are part of the id: an Int32 is never read as an Int64.
        let id = UInt16(16 + (width.trailingZeroBitCount & 7) * 2 + (Value.isSigned ? 1 : 0))
        return ValueCodec(
            id: id,
            encode: { value in
                (0..<width).map { UInt8(truncatingIfNeeded: value >> Value($0 * 8)) }
            },
            decode: { bytes in
                guard bytes.count == width else {
                    throw MalformedValue(description: "\(bytes.count) bytes are no integer of \(width) bytes")
                }
                return bytes.reversed().reduce(0) { $0 << 8 | Value(truncatingIfNeeded: $1) }
            }
        )
    }
}

extension ValueCodec where Value: Codable & SendableMetatype {
    /// A `Codable` value as JSON.
    public static var json: ValueCodec {
        ValueCodec(
            id: 3,
            encode: { [UInt8](try JSONEncoder().encode($0)) },
            decode: { try JSONDecoder().decode(Value.self, from: Data($0)) }
        )
    }

    /// A `Codable` value as a binary property list.
    public static var propertyList: ValueCodec {
        ValueCodec(
            id: 4,
            encode: {
                let encoder = PropertyListEncoder()
                encoder.outputFormat = .binary
                // Wrapped, because a property list cannot be a single number or text.
                return [UInt8](try encoder.encode([$0]))
            },
            decode: { bytes in
                let values = try PropertyListDecoder().decode([Value].self, from: Data(bytes))
                guard values.count == 1 else {
                    throw MalformedValue(description: "the property list holds \(values.count) values, not one")
                }
                return values[0]
            }
        )
    }
}
