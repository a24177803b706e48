/// A write that needs only to be queued: encoded, checked and admitted.
///
/// Dropping it gives its room in the queue back. Queueing one prepared before a `removeAll` puts it after that.
@usableFromInline
package struct PreparedWrite: Sendable {
    enum Kind: Sendable {
        case put(RecordHeader, content: [UInt8])
        case remove(key: [UInt8])
        case removeAll
    }

    /// What a full queue that drops knows of a removal that it lets in beyond its limit.
    struct Excess {
        /// How often the queue had published commits when nothing was stored under the key; `nil` if something may be.
        var absentAt: UInt64?
    }

    let table: TableState
    let kind: Kind
    let instance: UInt32
    let hash: RecordHash
    let admission: Admission?
    var excess: Excess?

    /// The bytes of the encoded value, before compression, also of one that was dropped; `nil` for a removal.
    @usableFromInline package var payloadBytes: Int?
}
