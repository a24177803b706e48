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
    }

    private let state = Lock(State())

    private enum Answer {
        case existing(Store)
        case mine
        case busy(StoreCore?)
        case inherited
    }

    /// Returns the store open at `identity`, or what `make` opens.
    ///
    /// Waits for one that is closing or being opened by another thread.
    func store(
        at identity: StoreDirectory.Identity,
        deadline: Deadline,
        path: String,
        make: () throws(StoreError) -> Store
    ) throws(StoreError) -> Store {
        let answer: Answer = state.wait(
            until: { state in
                guard !state.opening.contains(identity) else { return false }
                guard let entry = state.entries[identity], entry.core.isUsable else { return true }
                return entry.store?.isOpen ?? false
            },
            deadline: deadline
        ) { state, isReady in
            if let entry = state.entries[identity] {
                guard entry.core.isUsable else { return .inherited }
                if let store = entry.store, store.isOpen { return .existing(store) }
                return .busy(entry.core)
            }
            guard isReady else { return .busy(nil) }
            state.opening.insert(identity)
            return .mine
        }
        switch answer {
        case .existing(let store):
            return store
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
