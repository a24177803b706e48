internal import Synchronization

/// One table as the whole store shares it.
///
/// The instance is the number under which the table's records are found. Clearing the table gives it a new one, which
/// makes every older record unreachable at once; their space is given back later.
@usableFromInline
final class TableState: Sendable {
    let name: String
    let keyKind: String
    /// Changed only under the write queue's lock, so that writes queued before and after a clear keep their order.
    let instance: Atomic<UInt32>

    init(name: String, keyKind: String, instance: UInt32) {
        self.name = name
        self.keyKind = keyKind
        self.instance = Atomic(instance)
    }
}
