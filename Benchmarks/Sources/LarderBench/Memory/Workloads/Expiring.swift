/// Replacements of values by others with a life, each of another length.
///
/// The lives are so long that none ends while the suite runs: an expiry at work would slow the other subjects too.
struct Expiring<Key: CacheKey>: Sendable {
    let name: String
    let keys: KeySpace<Key>

    /// The case on a number of threads, with every subject.
    @inline(__always)
    func on(threads: Int) -> Case {
        Case(
            name: name,
            threads: threads,
            subjects: [
                Subject(name: "larder") { trial(of: LarderCache<Key, Int>.self, threads: threads) },
                Subject(name: "mutex-dictionary") { trial(of: MutexDictionary<Key, Dated>.self, threads: threads) },
                Subject(name: "lock-dictionary") { trial(of: LockDictionary<Key, Dated>.self, threads: threads) },
                Subject(name: "barrier-queue") { trial(of: BarrierQueueDictionary<Key, Dated>.self, threads: threads) },
                Subject(name: "nscache") { trial(of: FoundationCache<Key, Dated>.self, threads: threads) },
            ]
        )
    }

    @inline(__always)
    private func trial<Store: ExpiringStore>(of store: Store.Type, threads: Int) -> Trial where Store.Key == Key {
        let store = Store(countLimit: nil)
        let lives = Self.lives()
        for number in 0..<keys.count {
            store.setValue(number, forKey: keys.key(number), life: lives[number & (lives.count - 1)])
        }
        let orders = keys.permutations(threads: threads)
        return Trial(hits: .none) { thread, operations in
            orders[thread].forEach(operations) { operation, key in
                store.setValue(operation, forKey: key, life: lives[operation & (lives.count - 1)])
            }
            return Tally()
        }
    }

    /// A power of two of lives between an hour and a day.
    private static func lives() -> [Duration] {
        var random = SeededRandom(seed: 24)
        return (0..<1_024).map { _ in .milliseconds(Int.random(in: 3_600_000...86_400_000, using: &random)) }
    }
}
