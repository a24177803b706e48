/// A value as it is stored, with what the store knows about it.
public struct StoredRecord<Value> {
    /// The value.
    public let value: Value

    /// When it was written; never later than now.
    public let created: WallTime

    /// When it ends; `nil` means never.
    public let expires: WallTime?

    /// The cost given with the write.
    public let cost: Int

    /// The bytes the record takes: header, key and encoded value.
    public let storedBytes: Int

    @usableFromInline
    init(value: Value, _ header: RecordHeader) {
        self.value = value
        created = header.created
        expires = header.expires == .never ? nil : header.expires
        cost = Int(header.cost)
        storedBytes = header.recordBytes
    }
}

extension StoredRecord: Sendable where Value: Sendable {}

/// A record found, verified and copied out, before its payload is decoded.
struct RawRecord: Sendable {
    let header: RecordHeader
    let payload: [UInt8]
}
