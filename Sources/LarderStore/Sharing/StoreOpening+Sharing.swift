internal import Glibc
internal import LMDB

/// Opening a store that other processes have open, and share.
extension StoreOpening {
    /// Opens the files as they are: they were judged by the first process, and what is left to repair is for the next one
    /// that is alone with them.
    func join(_ lock: OwnerLock) throws(StoreError) -> Store {
        try checkState()
        switch try openEngine(Judgement(), joins: true) {
        case .usable(let engine, let records, let ledger):
            return try start(engine, records, ledger, lock, Judgement())
        case .unusable(_, let detail):
            throw refusal(detail)
        }
    }

    /// Refuses to write with another durability than the others do: each mode promises what it does for every commit.
    private func checkState() throws(StoreError) {
        guard let state = directory.state else {
            throw refusal("STATE is missing, unreadable or of another format")
        }
        guard state.durability == configuration.durability else {
            throw StoreError(
                .configurationMismatch,
                "The store at \(directory.path) is open in another process and durability is \(state.durability.rawValue), not "
                    + "\(configuration.durability.rawValue): ask for the same in all processes that share it"
            )
        }
        // After a crash of the system it must be known that the store was open.
        if state.isClean { try directory.announce(configuration.durability) }
    }

    private func refusal(_ detail: String) -> StoreError {
        StoreError(
            .damaged,
            "The store at \(directory.path) cannot be joined, because \(detail): close it in every process, and the next "
                + "opening decides what becomes of it"
        )
    }

    func sameProcessNumber(_ error: LMDBError) -> StoreError {
        StoreError(
            .inUse,
            "The store at \(directory.path) is open in another PID namespace, in a process with the number \(getpid()) as "
                + "well: let the containers share one PID namespace, or give each a directory of its own",
            cause: error
        )
    }
}
