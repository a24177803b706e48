/// Reads of keys that are all there.
struct Getting<Key: CacheKey>: Workload {
    let name: String
    let keys: KeySpace<Key>

    @inline(__always)
    func trial<Store: KeyedStore>(of store: Store.Type, threads: Int) -> Trial
    where Store.Key == Key, Store.Value == Int {
        let store = Store(countLimit: nil)
        store.fill(with: keys)
        let orders = (0..<threads).map { keys.permutation(thread: $0) }
        return Trial(hits: .all) { thread, operations in
            var tally = Tally()
            orders[thread].forEach(operations) { _, key in
                guard let value = store.value(forKey: key) else { return }
                tally.hits += 1
                tally.sink &+= value
            }
            return tally
        }
    }
}
