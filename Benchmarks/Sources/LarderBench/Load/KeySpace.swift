/// The keys that a case is about, by number.
struct KeySpace<Key: Sendable>: Sendable {
    let count: Int

    /// Makes the key anew on every call, so that a key that is looked up shares no storage with the one that is stored,
    /// as in a service, where it has just been made from a request.
    let key: @Sendable (Int) -> Key

    /// All keys, in an order of its own for each thread.
    func permutation(thread: Int) -> KeySequence<Key> {
        var random = SeededRandom(seed: UInt64(thread) &+ 1)
        return KeySequence(keys: (0..<count).shuffled(using: &random).map(key))
    }

    /// A permutation for each thread.
    func permutations(threads: Int) -> [KeySequence<Key>] {
        (0..<threads).map(permutation)
    }

    /// Keys by popularity, in an order of its own for each thread.
    func popular(_ distribution: ZipfDistribution, length: Int, thread: Int) -> KeySequence<Key> {
        var random = SeededRandom(seed: UInt64(thread) &+ 1)
        return KeySequence(keys: (0..<length).map { _ in key(distribution.draw(using: &random)) })
    }
}

extension KeySpace<Int> {
    static let integers = KeySpace(count: 100_000) { $0 }
}

extension KeySpace<String> {
    /// Short enough to lie inside the string itself.
    static let strings = KeySpace(count: 100_000) { "key:\($0)" }

    /// 40 to 80 bytes, which differ at the end.
    static let addresses = KeySpace(count: 100_000) { number in
        var random = SeededRandom(seed: UInt64(number))
        let path = String(repeating: "a", count: Int(random.next() % 41))
        let digits = String(number)
        return "https://images.example.org/v2/\(path)" + String(repeating: "0", count: 6 - digits.count) + digits
            + ".jpg"
    }
}
