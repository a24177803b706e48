/// What is done, in a case of the suite, to a store that the case makes for itself.
///
/// As with `Workload`, the requirement is called only with types that the compiler knows, so that the work is compiled for
/// each store as if written for it alone.
protocol StoreWorkload: Sendable {
    var name: String { get }
    var threads: Int { get }

    /// Whether a file a key is one of the subjects.
    var includesFiles: Bool { get }

    /// Makes a store and the keys for the threads, and returns the work on them.
    func trial<Store: PersistentStore>(of store: Store.Type) throws -> Trial
}

extension StoreWorkload {
    var threads: Int { 1 }
    var includesFiles: Bool { true }

    /// The case, with every subject.
    @inline(__always)
    var benchmark: Case {
        var subjects = [
            Subject(name: LarderDirectory.name) { try trial(of: LarderDirectory.self) },
            Subject(name: RawLMDB.name) { try trial(of: RawLMDB.self) },
            Subject(name: SQLiteFile.name) { try trial(of: SQLiteFile.self) },
        ]
        if includesFiles { subjects.append(Subject(name: FilePerKey.name) { try trial(of: FilePerKey.self) }) }
        return Case(name: name, threads: threads, subjects: subjects)
    }
}
