internal import Threading

/// The stores open in this process, by the identity of their directory.
///
/// LMDB breaks silently when one environment is opened twice in a process, so opening is serialised here, and a second
/// opening of a directory gets the store of the first, whatever path it came by.
final class StoreRegistry: Sendable {
    static let shared = StoreRegistry()

    private struct Entry {
        weak var store: Store?
        /// Outlives the store: the directory stays taken until the writer has closed the file.
        let core: StoreCore
    }

    private struct State {
        var entries: [StoreDirectory.Identity: Entry] = [:]
        var opening: Set<StoreDirectory.Identity> = []

        func openStore(at identity: StoreDirectory.Identity) -> Store? {
            guard let store = entries[identity]?.store, store.isOpen else { return nil }
            return store
        }
    }

    private let state = Lock(State())

    /// How long one who wants a directory alone waits for whoever has it: calls that are ending keep a store for a moment.
    private static let patience = Duration.seconds(1)

    private enum Answer {
        case existing(Store)
        case mine
        case busy(StoreCore?)
        case inherited
    }

    /// Returns the store open at `identity`, which is refused unless `joins`, or what `make` opens.
    ///
    /// Waits for one that is closing or being opened by another thread.
    func store(
        at identity: StoreDirectory.Identity,
        deadline: Deadline,
        path: String,
        joins: Bool = true,
        make: () throws(StoreError) -> Store
    ) throws(StoreError) -> Store {
        if !joins { waitUntilNotOpen(identity) }
        let answer: Answer = state.wait(
            until: { state in
                guard !state.opening.contains(identity) else { return false }
                guard let entry = state.entries[identity], entry.core.isUsable else { return true }
                return state.openStore(at: identity) != nil
            },
            deadline: deadline
        ) { state, isReady in
            if let entry = state.entries[identity] {
                guard entry.core.isUsable else { return .inherited }
                if let store = state.openStore(at: identity) { return .existing(store) }
                return .busy(entry.core)
            }
            guard isReady else { return .busy(nil) }
            state.opening.insert(identity)
            return .mine
        }
        switch answer {
        case .existing(let store) where joins:
            return store
        case .existing:
            throw StoreError(
                .inUse,
                "The store at \(path) is open in this process already, by another cache perhaps: use that one, close it first, "
                    + "or name another directory"
            )
        case .busy:
            throw StoreError(.timedOut, "The store at \(path) is still being closed in this process: try again later")
        case .inherited:
            throw StoreError(
                .closed,
                "The store at \(path) is open in the parent process: a forked child must not open it before its exec"
            )
        case .mine:
            break
        }
        defer {
            _ = state.withLock { $0.opening.remove(identity) }
            state.notifyAll()
        }
        let store = try make()
        state.withLock { $0.entries[identity] = Entry(store: store, core: store.core) }
        return store
    }

    private func waitUntilNotOpen(_ identity: StoreDirectory.Identity) {
        state.wait(until: { $0.openStore(at: identity) == nil }, deadline: .after(Self.patience)) { _, _ in }
    }

    /// Lets the directory be opened again; the file is closed.
    func remove(_ identity: StoreDirectory.Identity) {
        state.withLock { $0.entries[identity] = nil }
        state.notifyAll()
    }

    /// Whether the directory is open, opening or closing in this process.
    func contains(_ identity: StoreDirectory.Identity) -> Bool {
        state.withLock { $0.entries[identity] != nil || $0.opening.contains(identity) }
    }
}
