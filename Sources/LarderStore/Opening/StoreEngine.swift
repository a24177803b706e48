internal import LMDB

/// An open environment and what keeps it safe, on their way from the opening to the writer.
final class StoreEngine: @unchecked Sendable {
    // because: the opening thread hands it over whole, through a lock, and the writer thread takes it apart.

    let environment: Environment
    /// Only with durability `.checkpointed`, and then once the store is announced.
    var checkpointer: Checkpointer?
    /// Whether STATE says that the store is open; see `Writer.announce()`.
    let isAnnounced: Bool
    /// The records that no read may find; as STATE has them.
    let hidden: Set<RecordHash>

    init(environment: Environment, isAnnounced: Bool, hidden: Set<RecordHash>) {
        self.environment = environment
        self.isAnnounced = isAnnounced
        self.hidden = hidden
    }
}
