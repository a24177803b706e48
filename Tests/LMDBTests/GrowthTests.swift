import Glibc
import LMDB
import TestSupport
import Testing

struct GrowthTests {
    @Test("a file that was made longer holds what it held, and takes what is appended")
    func grown() throws {
        let directory = try TemporaryDirectory()
        let environment = try Environment(directory: directory.path, options: .small)
        let database = try environment.write { (transaction) throws(LMDBError) in try transaction.open("test") }
        var size = environment.statistics.fileBytes
        for key in UInt8(0)..<100 {
            if key % 10 == 0 {
                size = environment.statistics.highWaterBytes + 200_000
                environment.grow(toBytes: size)
            }
            try environment.write { (transaction) throws(LMDBError) in
                try transaction.put([UInt8](repeating: key, count: 10_000), forKey: [key], in: database)
            }
            #expect(environment.statistics.fileBytes == size)
            #expect(environment.statistics.allocatedBytes >= size)
        }
        let found = try environment.read { (transaction) throws(LMDBError) in
            var found = 0
            for key in UInt8(0)..<100 {
                let value = try transaction.withValue(forKey: [key], in: database) { bytes in
                    unsafe bytes.withUnsafeBytes { unsafe Array($0) }
                }
                if value == [UInt8](repeating: key, count: 10_000) { found += 1 }
            }
            return found
        }
        #expect(found == 100)
    }

    @Test("a file is made neither shorter nor longer than its map")
    func bounds() throws {
        let directory = try TemporaryDirectory()
        let environment = try Environment(directory: directory.path, options: .small)
        environment.grow(toBytes: 300_000)
        #expect(environment.statistics.fileBytes == 300_000)
        environment.grow(toBytes: 100_000)
        environment.grow(toBytes: environment.mapBytes + 1)
        #expect(environment.statistics.fileBytes == 300_000)
    }

    @Test("no file is made longer than the process may make one")
    func limit() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            let environment = try Environment(directory: directory.path, options: .small)
            var limit = rlimit(rlim_cur: 200_000, rlim_max: 200_000)
            #expect(unsafe setrlimit(Int32(RLIMIT_FSIZE.rawValue), &limit) == 0)
            environment.grow(toBytes: 200_001)
            #expect(environment.statistics.fileBytes < 200_000)
            environment.grow(toBytes: 200_000)
            #expect(environment.statistics.fileBytes == 200_000)
        }
    }
}
