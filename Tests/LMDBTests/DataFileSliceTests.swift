import FoundationEssentials
import Glibc
import LMDB
import Synchronization
import TestSupport
import Testing

/// The check of an open environment's file, a little at a time.
struct DataFileSliceTests {
    /// Checks everything in slices, each in a snapshot of its own; throws what they find.
    private func check(_ environment: Environment, slice: Duration = .zero) throws -> Int {
        var position = DataFileCheck.Position()
        var slices = 0
        while true {
            slices += 1
            let outcome = try environment.read { (snapshot) throws(LMDBError) in
                snapshot.checkPages(from: position, within: slice)
            }
            switch outcome {
            case .goesOn(let next): position = next
            case .isDone: return slices
            case .finds(let finding): throw finding
            }
        }
    }

    private func findsDamage(_ directory: String) throws -> Bool {
        // Opening and looking at pages touches nothing of the map but the meta pages.
        let environment = try Environment(directory: directory, options: .small)
        do {
            _ = try check(environment)
            return false
        } catch is DataFileCheck.Finding {
            return true
        }
    }

    @Test(
        "whatever random transactions make is accepted, in slices of a single value as in one of everything",
        arguments: 1...4
    )
    func accepts(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let directory = try TemporaryDirectory()
        let environment = try Environment(directory: directory.path, options: .small)
        #expect(try check(environment) == 1)
        try environment.churn(&random, transactions: 20 * Int(seed))
        #expect(try check(environment, slice: .seconds(60)) == 1, "seed \(seed)")
        #expect(try check(environment) > 50, "seed \(seed)")
    }

    @Test("L55 slices find the damage to a page that a check of the whole file finds")
    func findsDamage() throws {
        var random = SeededRandom(seed: 58)
        let directory = try TemporaryDirectory.ofChurnedEnvironment(&random)
        let path = directory.path("data.mdb")
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        var found = 0
        for page in 2..<min(bytes.count / 4096, 150) {
            var damaged = bytes
            for index in (page * 4096)..<((page + 1) * 4096) {
                damaged[index] = UInt8.random(in: 0...255, using: &random)
            }
            try Data(damaged).write(to: URL(filePath: path))
            let file = unsafe open(path, O_RDONLY)
            let isDamaged = (try? DataFileCheck.run(descriptor: file, depth: .whole)) == nil
            close(file)
            #expect(try findsDamage(directory.path) == isDamaged, "page \(page)")
            if isDamaged { found += 1 }
        }
        #expect(found > 10)
    }

    /// Replaces a few values of so few keys that the file soon stops growing: every free page is used again.
    private func overwrite(_ environment: Environment, _ random: inout SeededRandom) throws {
        try environment.write { (transaction) throws(LMDBError) in
            let database = try transaction.open("plain")
            // Never the same key twice in a transaction, which would leave a value more pages than it needs.
            let first = Int.random(in: 0..<30, using: &random)
            for number in 0..<10 {
                let key = Array("key \(first + number * 30)".utf8)
                let count = Int.random(in: 0..<6_000, using: &random)
                try transaction.put([UInt8](repeating: 7, count: count), forKey: key, in: database)
            }
        }
    }

    @Test("a file that is written to all the while is never found damaged")
    func whileWriting() throws {
        var random = SeededRandom(seed: 3)
        let directory = try TemporaryDirectory()
        // Room for all that is freed while everything is looked at in one go.
        var options = EnvironmentOptions.small
        options.mapBytes = 4 << 30
        let environment = try Environment(directory: directory.path, options: options)
        try environment.churn(&random, transactions: 20)
        let isDone = Atomic(false)
        let transactions = Torture.count(1_000, full: 20_000)
        let hasEnded = threads(2) { number in
            if number == 0 {
                var random = SeededRandom(seed: 4)
                for _ in 0..<transactions {
                    #expect(throws: Never.self) { try overwrite(environment, &random) }
                }
                isDone.store(true, ordering: .relaxed)
            } else {
                while !isDone.load(ordering: .relaxed) {
                    #expect(throws: Never.self) { try check(environment) }
                    #expect(throws: Never.self) { try check(environment, slice: .seconds(60)) }
                }
            }
        }
        #expect(hasEnded)
    }
}
