/// What a cache is for: reads by popularity, and a store on each miss, in less room than there are keys.
///
/// Measured in the steady state, after one pass over the requests. A subject without limits has every key by then.
struct Evicting<Key: CacheKey>: Workload {
    let name: String
    let keys: KeySpace<Key>
    let countLimit: Int
    let exponent: Double

    /// The requests of a thread, after which it begins anew: long against the limit, so that no policy can gain from
    /// the repetition.
    var requests = 500_000

    @inline(__always)
    func trial<Store: KeyedStore>(of store: Store.Type, threads: Int) -> Trial
    where Store.Key == Key, Store.Value == Int {
        let store = Store(countLimit: countLimit)
        let popularity = ZipfDistribution(count: keys.count, exponent: exponent)
        let orders = (0..<threads).map { keys.popular(popularity, length: requests, thread: $0) }
        let work: @Sendable (Int, Range<Int>) -> Tally = { thread, operations in
            var tally = Tally()
            orders[thread].forEach(operations) { operation, key in
                if let value = store.value(forKey: key) {
                    tally.hits += 1
                    tally.sink &+= value
                } else {
                    store.setValue(operation, forKey: key)
                }
            }
            return tally
        }
        _ = work(0, 0..<requests)
        return Trial(hits: .measured, work: work)
    }
}
