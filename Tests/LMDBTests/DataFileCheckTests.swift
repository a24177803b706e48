import FoundationEssentials
import Glibc
import LMDB
import TestSupport
import Testing

struct DataFileCheckTests {
    private func check(_ path: String, _ depth: DataFileCheck.Depth = .whole) throws -> Int {
        let file = unsafe open(path, O_RDONLY)
        defer { close(file) }
        return try DataFileCheck.run(descriptor: file, depth: depth)
    }

    @Test("L53 B70 every file that random transactions make is accepted", arguments: 1...6)
    func accepts(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let directory = try TemporaryDirectory()
        do {
            let environment = try Environment(directory: directory.path, options: .small)
            try environment.churn(&random, transactions: 20 * Int(seed))
        }
        let pages = try check(directory.path("data.mdb"))
        #expect(pages > 10, "seed \(seed)")
        #expect(try check(directory.path("data.mdb"), .shape) == 0, "seed \(seed)")
    }

    @Test("an environment that was just made is accepted")
    func fresh() throws {
        let directory = try TemporaryDirectory()
        do { _ = try Environment(directory: directory.path, options: .small) }
        #expect(try check(directory.path("data.mdb")) == 0)
    }

    @Test("L59 a file cut short of a page that is in use is refused, whatever the depth of the check")
    func truncated() throws {
        var random = SeededRandom(seed: 59)
        let directory = try TemporaryDirectory.ofChurnedEnvironment(&random)
        let path = directory.path("data.mdb")
        let bytes = try Data(contentsOf: URL(filePath: path))
        var refused = 0
        for length in stride(from: 0, to: bytes.count, by: 40_960) {
            try bytes.prefix(length).write(to: URL(filePath: path))
            #expect(throws: DataFileCheck.Finding.self, "\(length)") { try check(path, .shape) }
            refused += 1
        }
        #expect(refused > 10)
    }

    @Test("L55 pages that are zeroed, filled or exchanged are found if a tree uses them")
    func damagedPages() throws {
        var random = SeededRandom(seed: 57)
        let directory = try TemporaryDirectory.ofChurnedEnvironment(&random)
        let path = directory.path("data.mdb")
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        var found = 0
        // Both meta pages must be whole.
        for page in [0, 1] {
            var damaged = bytes
            for index in (page * 4096)..<(page * 4096 + 200) { damaged[index] = 0 }
            try Data(damaged).write(to: URL(filePath: path))
            #expect(throws: DataFileCheck.Finding.self) { try check(path, .shape) }
        }
        try Data(bytes).write(to: URL(filePath: path))
        let entries = try walk(directory.path)
        for page in 2..<min(bytes.count / 4096, 150) {
            var damaged = bytes
            for index in (page * 4096)..<((page + 1) * 4096) {
                damaged[index] = UInt8.random(in: 0...255, using: &random)
            }
            try Data(damaged).write(to: URL(filePath: path))
            guard (try? check(path)) != nil else {
                found += 1
                continue
            }
            // What passes can be walked to the end: the page is in use by no tree, or only inside a value.
            #expect(try walk(directory.path) == entries, "page \(page)")
        }
        #expect(found > 10)
    }

    /// Opens the environment and counts the entries of both databases, one by one.
    private func walk(_ directory: String) throws -> Int {
        let environment = try Environment(directory: directory, options: .small)
        let databases = try environment.write { (transaction) throws(LMDBError) in
            [try transaction.open("plain"), try transaction.open("numbered", integerKeys: true)]
        }
        return try environment.read { (transaction) throws(LMDBError) -> Int in
            var count = 0
            for database in databases {
                count += try transaction.withCursor(in: database) { (cursor) throws(LMDBError) -> Int in
                    var count = 0
                    var isThere = try cursor.move(.first)
                    while isThere {
                        count += 1
                        isThere = try cursor.move(.next)
                    }
                    return count
                }
            }
            return count
        }
    }
}
