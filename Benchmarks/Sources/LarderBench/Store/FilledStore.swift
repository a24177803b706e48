internal import Foundation
internal import Synchronization

/// A store with records in it, filled when it is first asked for and then shared by the cases that leave it as it is.
final class FilledStore<Store: PersistentStore>: Sendable {
    private enum State {
        case none
        case closed(directory: String)
        case open(Store, directory: String)
    }

    private let records: Records
    private let state = Mutex(State.none)

    init(_ records: Records) {
        self.records = records
    }

    /// The store, open and with every page of its map touched.
    func opened() throws -> Store {
        try state.withLock { state throws in
            let directory: String
            switch state {
            case .open(let store, _): return store
            case .closed(let path): directory = path
            case .none: directory = try fill()
            }
            let store = try Store(in: directory, .relaxed)
            if Store.isMapped { try touch(store) }
            state = .open(store, directory: directory)
            return store
        }
    }

    /// The directory of the store, closed: every session must have been let go.
    func closed() throws -> String {
        try state.withLock { state throws in
            let directory: String
            switch state {
            case .closed(let path): return path
            case .none: directory = try fill()
            case .open(let store, let path):
                try store.close()
                directory = path
            }
            state = .closed(directory: directory)
            return directory
        }
    }

    /// What its files take, once it was asked for.
    func space() throws -> Space {
        let directory: String
        switch state.withLock({ $0 }) {
        case .none: directory = try closed()
        case .closed(let path), .open(_, let path): directory = path
        }
        return Space(fileBytes: try ScratchDirectory.bytes(in: directory), payloadBytes: records.payloadBytes)
    }

    // A function of its own, so that the session has ended when the store is closed.
    @inline(never)
    private func touch(_ store: Store) throws {
        Console.progress("touching every record of \(Store.name)")
        let session = try store.session()
        // In the order of writing, which is what the pages lie in for some.
        for key in records.shuffled(0) where try session.value(forKey: key)?.count != records.value.count {
            throw MeasurementError("\(Store.name) lost \(key)")
        }
    }

    private func fill() throws -> String {
        Console.progress("filling \(Store.name) with \(records.count) values of \(records.value.count) bytes")
        let directory = try ScratchDirectory.path(Store.name)
        let store = try Store(in: directory, .relaxed)
        try fill(store)
        try store.close()
        return directory
    }

    // A function of its own, so that the session has ended when the store is closed.
    @inline(never)
    private func fill(_ store: Store) throws {
        let session = try store.session()
        for key in records.shuffled(0) { try session.put(records.value, forKey: key) }
        try session.flush()
    }
}

/// Keys and the value under each of them.
struct Records: Sendable {
    let count: Int
    let value: [UInt8]

    init(_ count: Int, valueBytes: Int) {
        self.count = count
        // Not all alike, so that nothing gains by it.
        var random = SeededRandom(seed: 7)
        value = (0..<valueBytes).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }

    static func key(_ number: Int) -> String { "key:\(number)" }

    private var keys: KeySpace<String> { KeySpace(count: count, key: Self.key) }

    /// All keys, in an order of its own for each thread.
    func permutation(thread: Int) -> KeySequence<String> {
        keys.permutation(thread: thread)
    }

    func shuffled(_ thread: Int) -> [String] {
        permutation(thread: thread).keys
    }

    /// The bytes of all keys and values.
    var payloadBytes: Int {
        (0..<count).reduce(0) { $0 + Self.key($1).utf8.count } + count * value.count
    }
}
