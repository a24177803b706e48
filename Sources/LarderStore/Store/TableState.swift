internal import Synchronization

/// One table as the whole store shares it.
///
/// An instance is the number under which the table's records are found. Clearing the table gives it a new one, which
/// makes every older record unreachable at once; their space is given back later.
@usableFromInline
final class TableState: Sendable {
    /// The instances a table has at a moment.
    struct Place: Equatable {
        /// The one that queued writes are hidden and found under.
        var queued: UInt32

        /// The one under which records lie in the file; zero while nothing in the file may be read.
        ///
        /// Another one than `queued` only in a store that is shared: there the number of a new instance follows from the
        /// commit that makes it, since two processes must not choose the same.
        var stored: UInt32

        fileprivate init(_ bits: UInt64) {
            queued = UInt32(truncatingIfNeeded: bits >> 32)
            stored = UInt32(truncatingIfNeeded: bits)
        }

        init(queued: UInt32, stored: UInt32) {
            self.queued = queued
            self.stored = stored
        }

        fileprivate var bits: UInt64 { UInt64(queued) << 32 | UInt64(stored) }
    }

    let name: String
    let keyKind: String
    private let bits: Atomic<UInt64>

    init(name: String, keyKind: String, place: Place) {
        self.name = name
        self.keyKind = keyKind
        bits = Atomic(place.bits)
    }

    /// The state of a table that is stored.
    convenience init(name: String, _ table: Ledger.Table) {
        let place = Place(queued: table.instance, stored: table.instance)
        self.init(name: name, keyKind: table.keyKind, place: place)
    }

    var place: Place { Place(bits.load(ordering: .acquiring)) }

    /// The number that queued writes go by.
    ///
    /// Changed only under the write queue's lock, so that writes queued before and after a clear keep their order.
    var queued: UInt32 { place.queued }

    /// Gives the table new instances; only under the write queue's lock.
    func clear(_ place: Place) {
        bits.store(place.bits, ordering: .releasing)
    }

    /// Sets the number in the file, unless the table was cleared since it was at `place`; returns whether it was set.
    @discardableResult
    func store(_ instance: UInt32, at place: Place) -> Bool {
        let moved = Place(queued: place.queued, stored: instance)
        return bits.compareExchange(expected: place.bits, desired: moved.bits, ordering: .acquiringAndReleasing)
            .exchanged
    }
}
