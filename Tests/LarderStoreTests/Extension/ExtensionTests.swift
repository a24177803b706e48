import LMDB
import TestSupport
import Testing
import Threading

@testable import LarderStore

struct ExtensionTests {
    /// Keeps nothing but a name, a kind and a version.
    private struct Idle: StoreExtension {
        var name: String
        var kind = "idle"
        var version: UInt32 = 1

        func didPut(
            _ record: RecordReference,
            content: [UInt8],
            in keyspace: Keyspace,
            _ transaction: inout WriteTransaction
        ) throws(LMDBError) {}

        func didRemove(
            _ record: RecordReference,
            from keyspace: Keyspace,
            _ transaction: inout WriteTransaction
        ) throws(LMDBError) {}
    }

    private func database() throws -> (Environment, Database, TemporaryDirectory) {
        let directory = try TemporaryDirectory()
        let options = EnvironmentOptions(
            mapBytes: 16 << 20,
            minimumMapBytes: 1 << 20,
            maximumReaders: 8,
            maximumDatabases: 4,
            synchronization: .none
        )
        let environment = try Environment(directory: directory.path, options: options)
        let database = try environment.write { (transaction) throws(LMDBError) in try transaction.open("extensions") }
        return (environment, database, directory)
    }

    @Test("B18 an extension of the same name, kind and version keeps its keyspace; another version starts anew")
    func registration() throws {
        let (_, database, _) = try database()
        var ledger = Ledger(seed: 1)
        ledger.nextSequence = 10
        let first = ledger.attach([Idle(name: "a"), Idle(name: "b")], in: database)
        #expect(first[0].keyspace != first[1].keyspace)
        let again = ledger.attach([Idle(name: "a"), Idle(name: "b")], in: database)
        #expect(again.map(\.keyspace) == first.map(\.keyspace))
        #expect(ledger.orphans.isEmpty)

        let newer = ledger.attach([Idle(name: "a", version: 2), Idle(name: "b", kind: "other")], in: database)
        #expect(ledger.orphans == Set(first.map(\.keyspace.id)))
        #expect(Set(newer.map(\.keyspace.id)).isDisjoint(with: ledger.orphans))
        #expect(ledger.extensions["a"]?.fillEnd == 10)

        _ = ledger.attach([Idle(name: "a", version: 2)], in: database)
        #expect(ledger.extensions["b"] == nil)
        #expect(ledger.orphans.count == 3)
    }

    @Test("a keyspace is cleared in steps and leaves its neighbours alone")
    func clearing() throws {
        let (environment, database, _) = try database()
        let spaces = (1...3).map { Keyspace(database: database, id: $0) }
        try environment.write { (transaction) throws(LMDBError) in
            for space in spaces {
                for number in 0..<UInt8(10) { try transaction.put([number], forKey: space.key([number]), in: database) }
            }
        }
        var steps = 0
        while try environment.write({ (transaction) throws(LMDBError) in try spaces[1].clear(limit: 4, &transaction) })
        {
            steps += 1
        }
        #expect(steps == 2)
        try environment.read { (transaction) throws(LMDBError) in
            #expect(try transaction.statistics(of: database).entries == 20)
            for space in [spaces[0], spaces[2]] {
                #expect(try transaction.withValue(forKey: space.key([9]), in: database) { $0.byteCount } == 1)
            }
        }
    }

    @Test("B85 the order of expiry is filled from the records when it was not there, once")
    func fill() async throws {
        let fixture = try StoreFixture()
        var store = try fixture.open()
        var table = try fixture.numbers(store)
        for key in 0..<700 { try table.setValue(key, forKey: key, expiration: .seconds(5)) }
        try store.close()

        // As a store that was written by a version with another order: its registration has an older version.
        try rewriteLedger(at: fixture.path) { ledger in ledger.extensions["expiry"]?.version = 0 }
        store = try fixture.open()
        #expect(store.recovery == nil)
        table = try fixture.numbers(store)
        #expect(
            await eventually {
                let ledger = store.core.published.withLock { $0.ledger }
                return ledger.orphans.isEmpty
                    && ledger.extensions["expiry"]?.filledTo == ledger.extensions["expiry"]?.fillEnd
            }
        )
        #expect(table.count == 700)
        fixture.clock.advance(by: .seconds(6))
        try store.removeExpired()
        #expect(table.count == 0)
        #expect(store.statistics.expired == 700)
        try store.close()
    }

    private func rewriteLedger(at path: String, _ change: (inout Ledger) -> Void) throws {
        let options = EnvironmentOptions(
            mapBytes: 1 << 30,
            minimumMapBytes: 1 << 20,
            maximumReaders: 8,
            maximumDatabases: 4,
            synchronization: .full
        )
        let environment = try Environment(directory: path, options: options)
        let key = RecordStore.ledgerKey
        let bytes = try environment.write { (transaction) throws(LMDBError) -> [UInt8]? in
            try transaction.withValue(forKey: key, in: transaction.open("meta")) { $0.array }
        }
        guard case .ledger(var ledger) = Ledger.read(try #require(bytes)) else {
            Issue.record("the ledger cannot be read")
            return
        }
        change(&ledger)
        let changed = ledger.encoded
        try environment.write { (transaction) throws(LMDBError) in
            try transaction.put(changed, forKey: key, in: transaction.open("meta"))
        }
    }
}
