import LMDB
import TestSupport
import Testing

struct TransactionTests {
    private let directory: TemporaryDirectory
    private let environment: Environment

    init() throws {
        directory = try TemporaryDirectory()
        environment = try Environment(directory: directory.path, options: .small)
    }

    private func database(integerKeys: Bool = false) throws -> Database {
        try environment.write { (transaction) throws(LMDBError) in
            try transaction.open("test", integerKeys: integerKeys)
        }
    }

    @Test("what a transaction committed is read, and removed only once")
    func roundTrip() throws {
        let database = try database()
        try environment.write { (transaction) throws(LMDBError) in
            try transaction.put([1, 2], forKey: [9], in: database)
            try transaction.put([], forKey: [8], in: database)
            #expect(try transaction.withValue(forKey: [9], in: database) { $0.byteCount } == 2)
        }
        let lengths = try environment.read { (transaction) throws(LMDBError) -> [Int?] in
            [
                try transaction.withValue(forKey: [9], in: database) { $0.byteCount },
                try transaction.withValue(forKey: [8], in: database) { $0.byteCount },
                try transaction.withValue(forKey: [7], in: database) { $0.byteCount },
            ]
        }
        #expect(lengths == [2, 0, nil])
        try environment.write { (transaction) throws(LMDBError) in
            #expect(try transaction.remove([9], from: database))
            #expect(try !transaction.remove([9], from: database))
        }
    }

    @Test("B49 a transaction whose body throws leaves nothing, and the next one goes on")
    func abort() throws {
        let database = try database()
        let error = #expect(throws: LMDBError.self) {
            try environment.write { (transaction) throws(LMDBError) in
                try transaction.put([1], forKey: [1], in: database)
                throw LMDBError(call: "test", result: 5)
            }
        }
        #expect(error?.code == .inputOutput)
        try environment.write { (transaction) throws(LMDBError) in
            #expect(try transaction.statistics(of: database).entries == 0)
            try transaction.put([2], forKey: [2], in: database)
        }
        #expect(
            try environment.read { (transaction) throws(LMDBError) in try transaction.statistics(of: database).entries }
                == 1
        )
    }

    @Test("a reader sees one snapshot while it reads, and the newest when it begins again")
    func snapshots() throws {
        let database = try database()
        let reader = try Reader(environment)
        func entries() throws -> Int {
            let transaction = try reader.begin()
            return try transaction.statistics(of: database).entries
        }
        #expect(try entries() == 0)
        do {
            let transaction = try reader.begin()
            try environment.write { (writing) throws(LMDBError) in try writing.put([1], forKey: [1], in: database) }
            #expect(try transaction.statistics(of: database).entries == 0)
        }
        #expect(try entries() == 1)
    }

    @Test("appended records come back whole and in order, from an empty one to one of many pages")
    func append() throws {
        let database = try database(integerKeys: true)
        let sizes = [0, 1, 2_014, 2_015, 4_080, 4_081, 65_520, 65_521, 1 << 20]
        try environment.write { (transaction) throws(LMDBError) in
            for (index, size) in sizes.enumerated() {
                let bytes = [UInt8](repeating: UInt8(index), count: size)
                try transaction.append([7, 7], bytes[...], forKey: UInt64(index * 300), in: database)
            }
        }
        let found = try environment.read { (transaction) throws(LMDBError) -> [Int] in
            try transaction.withCursor(in: database) { (cursor) throws(LMDBError) -> [Int] in
                var sizes: [Int] = []
                var isThere = try cursor.move(.first)
                while isThere {
                    sizes.append(cursor.withEntry { _, value in value.byteCount - 2 })
                    isThere = try cursor.move(.next)
                }
                return sizes
            }
        }
        #expect(found == sizes)
        let error = #expect(throws: LMDBError.self) {
            try environment.write { (transaction) throws(LMDBError) in
                try transaction.append([1], [][...], forKey: 5, in: database)
            }
        }
        #expect(error?.code == .keyExists)
    }

    @Test("a cursor finds the next key, removes in passing, and ends")
    func cursor() throws {
        let database = try database()
        try environment.write { (transaction) throws(LMDBError) in
            for number in stride(from: UInt8(10), to: 60, by: 10) {
                try transaction.put([], forKey: [number], in: database)
            }
        }
        let left = try environment.write { (transaction) throws(LMDBError) -> Int in
            try transaction.withCursor(in: database) { (cursor) throws(LMDBError) in
                #expect(try cursor.move(toOrAfter: [25]))
                #expect(cursor.withEntry { key, _ in key.byteCount } == 1)
                try cursor.remove()
                #expect(try cursor.move(.next))
                #expect(try !cursor.move(toOrAfter: [51]))
                #expect(try cursor.move(.last))
                #expect(try cursor.move(.previous))
            }
            return try transaction.statistics(of: database).entries
        }
        #expect(left == 4)
    }

    @Test("L25 B70 a map that is full is an error that poisons only its transaction")
    func mapFull() throws {
        let database = try database(integerKeys: true)
        let bytes = [UInt8](repeating: 1, count: 1 << 20)
        let error = #expect(throws: LMDBError.self) {
            try environment.write { (transaction) throws(LMDBError) in
                for number in 0..<UInt64(100) { try transaction.append([], bytes[...], forKey: number, in: database) }
            }
        }
        #expect(error?.code == .mapFull)
        #expect(error?.isAboutRoom == true)
        #expect(error?.description.contains("mdb_put") == true)
        try environment.write { (transaction) throws(LMDBError) in
            try transaction.append([], bytes[...], forKey: 1, in: database)
        }
    }

    @Test("L9 a commit that fails a hundred times leaves no transaction behind")
    func repeatedFailure() throws {
        let database = try database()
        for _ in 0..<100 {
            #expect(throws: LMDBError.self) {
                try environment.write { (transaction) throws(LMDBError) in
                    try transaction.put([1], forKey: [UInt8](repeating: 1, count: 512), in: database)
                }
            }
        }
        try environment.write { (transaction) throws(LMDBError) in try transaction.put([1], forKey: [1], in: database) }
    }

    @Test("L25 an address space that is refused is asked for in smaller halves")
    func hugeMap() throws {
        let other = try TemporaryDirectory()
        var options = EnvironmentOptions.small
        options.mapBytes = 1 << 48
        let environment = try Environment(directory: other.path, options: options)
        #expect(environment.mapBytes < 1 << 48)
        #expect(environment.mapBytes >= options.minimumMapBytes)
    }

    @Test("a missing directory is an error with its kind")
    func missing() {
        let error = #expect(throws: LMDBError.self) {
            try Environment(directory: directory.path("nowhere"), options: .small)
        }
        #expect(error?.code == .missing)
    }
}

extension EnvironmentOptions {
    static var small: EnvironmentOptions {
        EnvironmentOptions(
            mapBytes: 32 << 20,
            minimumMapBytes: 1 << 20,
            maximumReaders: 8,
            maximumDatabases: 4,
            synchronization: .none
        )
    }
}
