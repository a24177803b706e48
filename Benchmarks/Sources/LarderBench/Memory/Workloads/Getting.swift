/// Reads of keys that are all there.
struct Getting<Key: CacheKey>: Workload {
    let name: String
    let keys: KeySpace<Key>

    @inline(__always)
    func trial<Store: KeyedStore>(of store: Store.Type, threads: Int) -> Trial
    where Store.Key == Key, Store.Value == Int {
        let store = Store.filled(with: keys)
        let orders = keys.permutations(threads: threads)
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
