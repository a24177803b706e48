import LMDB
import TestSupport

extension Environment {
    /// Writes and removes values of every size at random.
    func churn(_ random: inout SeededRandom, transactions: Int) throws {
        let (plain, numbered) = try write { (transaction) throws(LMDBError) in
            (try transaction.open("plain"), try transaction.open("numbered", integerKeys: true))
        }
        let sizes = [0, 16, 700, 2_014, 2_015, 4_080, 4_081, 20_000, 65_520, 65_521]
        var next: UInt64 = 1
        for _ in 0..<transactions {
            try write { (transaction) throws(LMDBError) in
                for _ in 0..<20 {
                    let size = sizes.randomElement(using: &random) ?? 0
                    let value = [UInt8](repeating: UInt8.random(in: 0...255, using: &random), count: size)
                    let key = (0..<Int.random(in: 1...511, using: &random)).map { _ in
                        UInt8.random(in: 0...3, using: &random)
                    }
                    try transaction.put(value, forKey: key, in: plain)
                    if next % 2 == 0 { try transaction.remove(key, from: plain) }
                    try transaction.append([1], value[...], forKey: next, in: numbered)
                    if next > 100 { try transaction.remove(next - 100, from: numbered) }
                    next += 1
                }
            }
        }
    }
}

extension TemporaryDirectory {
    /// A directory with the file of a closed environment that has seen thirty random transactions.
    static func ofChurnedEnvironment(_ random: inout SeededRandom) throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        let environment = try Environment(directory: directory.path, options: .small)
        try environment.churn(&random, transactions: 30)
        return directory
    }
}
