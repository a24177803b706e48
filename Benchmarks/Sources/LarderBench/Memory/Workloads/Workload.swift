/// What is done to a store in a case of the suite.
///
/// Each requirement is generic over the store, and called only with types that the compiler knows, so that the work is
/// compiled for each store as if written for it alone.
protocol Workload: Sendable {
    associatedtype Key: CacheKey

    var name: String { get }

    /// Makes a store and the keys for the threads, and returns the work on them.
    func trial<Store: KeyedStore>(of store: Store.Type, threads: Int) -> Trial
    where Store.Key == Key, Store.Value == Int
}

extension Workload {
    /// The case on a number of threads, with every subject.
    @inline(__always)
    func on(threads: Int) -> Case {
        Case(
            name: name,
            threads: threads,
            subjects: [
                Subject(name: "larder") { trial(of: LarderCache<Key, Int>.self, threads: threads) },
                Subject(name: "mutex-dictionary") { trial(of: MutexDictionary<Key, Int>.self, threads: threads) },
                Subject(name: "lock-dictionary") { trial(of: LockDictionary<Key, Int>.self, threads: threads) },
                Subject(name: "barrier-queue") { trial(of: BarrierQueueDictionary<Key, Int>.self, threads: threads) },
                Subject(name: "nscache") { trial(of: FoundationCache<Key, Int>.self, threads: threads) },
            ]
        )
    }
}

extension KeyedStore where Value == Int {
    /// A store without limits that has each key's number under it.
    static func filled(with keys: KeySpace<Key>) -> Self {
        let store = Self(countLimit: nil)
        for number in 0..<keys.count { store.setValue(number, forKey: keys.key(number)) }
        return store
    }
}
