internal import Synchronization

/// A lookup's find, whose value is still to be decoded.
@usableFromInline
struct EncodedRecord: Sendable {
    let match: StoreCore.Match

    @usableFromInline
    var payload: [UInt8] { match.payload }
}

/// The part of a lookup that knows neither key nor value type.
///
/// Generic code that a client's compiler cannot see into runs unspecialised, at a multiple of the cost; so the generic
/// part of a lookup is small enough to be inlined there, and this is the rest.
extension Store {
    @usableFromInline
    func lookUp(_ key: [UInt8], in table: TableState, codec: UInt16) -> EncodedRecord? {
        guard let match = core.find(key, in: table) else {
            core.counters.misses.count()
            return nil
        }
        guard match.header.codec == codec else {
            core.refuse(match)
            core.counters.misses.count()
            return nil
        }
        core.sketch.note(match.hash)
        core.counters.hits.count()
        return EncodedRecord(match: match)
    }

    /// A record that was counted as a hit cannot be decoded: it is a miss, and goes.
    @usableFromInline
    func refuse(_ record: EncodedRecord) {
        core.counters.hits.wrappingSubtract(1, ordering: .relaxed)
        core.counters.misses.count()
        core.refuse(record.match)
    }
}
