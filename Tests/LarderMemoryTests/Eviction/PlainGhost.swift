/// What has left, oldest first, worth no more than a bound.
struct PlainGhost {
    private(set) var hashes: [(hash: UInt64, weight: Int)] = []

    var weight: Int { hashes.reduce(0) { $0 + $1.weight } }

    mutating func insert(_ hash: UInt64, weight: Int, weightLimit: Int, countLimit: Int = .max) {
        guard weight <= weightLimit, countLimit > 0 else { return }
        remove(hash)
        hashes.append((hash, weight))
        while self.weight > weightLimit || hashes.count > countLimit { hashes.removeFirst() }
    }

    @discardableResult
    mutating func remove(_ hash: UInt64) -> Bool {
        guard let position = hashes.firstIndex(where: { $0.hash == hash }) else { return false }
        hashes.remove(at: position)
        return true
    }

    mutating func trim(to weightLimit: Int) {
        while weight > weightLimit { hashes.removeFirst() }
    }
}
