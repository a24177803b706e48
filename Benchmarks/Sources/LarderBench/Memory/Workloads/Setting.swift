/// Replacements of values that are all there.
struct Setting<Key: CacheKey>: Workload {
    let name: String
    let keys: KeySpace<Key>

    @inline(__always)
    func trial<Store: KeyedStore>(of store: Store.Type, threads: Int) -> Trial
    where Store.Key == Key, Store.Value == Int {
        let store = Store.filled(with: keys)
        let orders = keys.permutations(threads: threads)
        return Trial(hits: .none) { thread, operations in
            orders[thread].forEach(operations) { operation, key in store.setValue(operation, forKey: key) }
            return Tally()
        }
    }
}
