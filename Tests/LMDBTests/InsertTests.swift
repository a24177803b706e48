import LMDB
import TestSupport
import Testing

struct InsertTests {
    @Test("an insert stores what is missing, and gives back what is there without changing it")
    func insert() throws {
        let directory = try TemporaryDirectory()
        let environment = try Environment(directory: directory.path, options: .small)
        try environment.write { (transaction) throws(LMDBError) in
            let database = try transaction.open("numbers")
            let first = try transaction.insert(UInt64(7), forKey: UInt32(1), in: database) { $0.byteCount }
            #expect(first == nil)
            let second = try transaction.insert(UInt16(9), forKey: UInt32(1), in: database) {
                unsafe $0.unsafeLoadUnaligned(as: UInt64.self)
            }
            #expect(second == 7)
            try transaction.put(UInt16(9), forKey: UInt32(1), in: database)
            let stored = try transaction.withValue(forKey: UInt32(1), in: database) {
                unsafe $0.unsafeLoadUnaligned(as: UInt16.self)
            }
            #expect(stored == 9)
        }
    }
}
