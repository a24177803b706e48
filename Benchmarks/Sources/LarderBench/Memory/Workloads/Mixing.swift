/// Nine reads, then one replacement, over and over, of keys that are all there.
struct Mixing<Key: CacheKey>: Workload {
    let name: String
    let keys: KeySpace<Key>

    /// One in how many operations writes.
    let period = 10

    @inline(__always)
    func trial<Store: KeyedStore>(of store: Store.Type, threads: Int) -> Trial
    where Store.Key == Key, Store.Value == Int {
        let store = Store.filled(with: keys)
        let orders = keys.permutations(threads: threads)
        return Trial(hits: .none) { thread, operations in
            var tally = Tally()
            var untilWrite = period
            orders[thread].forEach(operations) { operation, key in
                untilWrite -= 1
                if untilWrite == 0 {
                    untilWrite = period
                    store.setValue(operation, forKey: key)
                } else if let value = store.value(forKey: key) {
                    tally.hits += 1
                    tally.sink &+= value
                }
            }
            return tally
        }
    }
}
