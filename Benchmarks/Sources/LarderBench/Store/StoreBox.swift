internal import Foundation
internal import Synchronization

/// The store that a case opens anew for each round, with a session for each thread; the files of the last one are removed.
final class StoreBox<Store: PersistentStore>: Sendable {
    struct Content: Sendable {
        let store: Store
        let sessions: [Store.Session]
        let directory: String
    }

    private let content = Mutex<Content?>(nil)

    /// What `renew` opened last.
    var current: Content {
        get throws(MeasurementError) {
            guard let content = content.withLock({ $0 }) else {
                throw MeasurementError("the store of \(Store.name) was not opened before the round")
            }
            return content
        }
    }

    /// Lets go of the last store and makes an empty one.
    func renew(sessions: Int = 1, _ durability: BenchDurability = .relaxed) throws {
        let directory = try ScratchDirectory.path(Store.name)
        try renew(at: directory, sessions: sessions) { try Store(in: directory, durability) }
    }

    /// Lets go of the last store and opens the next with as many sessions.
    func renew(at directory: String, sessions: Int, _ open: () throws -> Store) throws {
        try discard()
        let store = try open()
        let content = Content(
            store: store,
            sessions: try (0..<sessions).map { _ in try store.session() },
            directory: directory
        )
        self.content.withLock { $0 = content }
    }

    /// Keeps a store that was opened elsewhere, without sessions.
    func adopt(_ store: Store, at directory: String) throws {
        try close()
        content.withLock { $0 = Content(store: store, sessions: [], directory: directory) }
    }

    /// Closes the store and removes its files.
    func discard() throws {
        guard let directory = try close() else { return }
        try FileManager.default.removeItem(atPath: directory)
    }

    /// Closes the store and returns where its files are.
    @discardableResult
    func close() throws -> String? {
        guard var last = content.withLock({ $0.take() }) else { return nil }
        // The sessions end before the store does.
        let (store, directory) = (last.store, last.directory)
        last = Content(store: store, sessions: [], directory: directory)
        try store.close()
        return directory
    }

    /// Closes the store and measures its files.
    func space(for payloadBytes: Int) throws -> Space {
        let bytes = try close().map { try ScratchDirectory.bytes(in: $0) }
        return Space(fileBytes: bytes ?? 0, payloadBytes: payloadBytes)
    }

    deinit {
        // The files go with the run's directory, unless they were removed to make room for the next.
        _ = try? close()
    }
}
