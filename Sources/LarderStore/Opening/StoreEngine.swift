internal import LMDB

/// An open environment and what keeps it safe, on their way from the opening to the writer.
final class StoreEngine: @unchecked Sendable {
    // because: the opening thread hands it over whole, through a lock, and the writer thread takes it apart.

    let environment: Environment
    /// Only with durability `.checkpointed`.
    var checkpointer: Checkpointer?

    /// Only in a store that is shared.
    let turns: EngineTurns?
    /// The newest commit when it was prepared.
    var snapshot: UInt64 = 0

    init(environment: Environment, turns: EngineTurns?) {
        self.environment = environment
        self.turns = turns
    }
}
