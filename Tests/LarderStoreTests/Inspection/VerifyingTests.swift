import LMDB
import TestSupport
import Testing

@testable import LarderStore

struct VerifyingTests {
    private static let sizes = [0, 1, 100, 1_957, 1_958, 2_014, 2_015, 4_080, 4_081, 65_520, 65_521, 262_144, 300_000]

    @Test("L53 L61 the checker accepts every store that a random workload leaves", arguments: [1, 2, 3, 4, 5])
    func acceptsRandomWorkload(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let fixture = try StoreFixture()
        let budget = ByteCount.mebibytes([3, 64].randomElement(using: &random)!)
        for round in 0..<4 {
            let store = try fixture.open(StoreFixture.configuration(budget: budget))
            let tables = try ["a", "b", "c"].map { try store.table($0, keyedBy: Int.self, codec: .bytes) }
            for step in 0..<400 {
                let table = tables[Int.random(in: 0..<3, using: &random)]
                let key = Int.random(in: 0..<150, using: &random)
                switch Int.random(in: 0..<100, using: &random) {
                case 0..<60:
                    let size = Self.sizes[Int.random(in: 0..<(step % 20 == 0 ? 13 : 9), using: &random)]
                    guard size + 8 <= store.configuration.effectiveMaxValueBytes else { continue }
                    let life: Duration? = step % 3 == 0 ? .seconds(Int.random(in: 1..<60, using: &random)) : nil
                    try table.setValue(
                        [UInt8](repeating: UInt8(step % 256), count: size),
                        forKey: key,
                        expiration: life
                    )
                case 60..<90: table.removeValue(forKey: key)
                case 90..<94: try store.flush()
                case 94: table.removeAll()
                case 95: try store.removeExpired()
                case 96: try store.trim(toBytes: .mebibytes(2))
                case 97 where step % 5 == 0: try store.compact()
                default: fixture.clock.advance(by: .seconds(1))
                }
            }
            let entries =
                round % 2 == 0
                ? nil
                : try {
                    try store.flush(); return store.statistics.entries
                }()
            try store.close()
            let verification = try Store.verify(at: fixture.path)
            #expect(verification.findings == [], "seed \(seed), round \(round)")
            #expect(verification.isSound)
            if let entries { #expect(verification.records >= entries) }
        }
    }

    /// A closed store of a hundred records, one table, every second of which expires.
    private static func closedStore() throws -> StoreFixture {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let table = try fixture.bytes(store)
        for key in 0..<100 {
            try table.setValue(
                Array("value \(key) ".utf8) + pattern(key, count: 200),
                forKey: "key \(key)",
                expiration: key % 2 == 0 ? .seconds(60) : nil
            )
        }
        try store.close()
        #expect(try Store.verify(at: fixture.path) == verification(of: fixture))
        return fixture
    }

    private static func verification(of fixture: StoreFixture) throws -> StoreVerification {
        let verification = try Store.verify(at: fixture.path)
        #expect(verification.isSound)
        #expect(verification.records == 100)
        #expect(verification.pages > 5)
        return verification
    }

    @Test("A76 a changed byte of a value or a header is found, and nothing else")
    func damagedRecord() throws {
        for (text, offset) in [("value 7 ", 2), ("key 7value 7 ", 0), ("key 7value 7 ", -40)] {
            let fixture = try Self.closedStore()
            let path = "\(fixture.path)/data.mdb"
            let bytes = try #require(Files.read(path))
            // Pages that are free by now may hold older copies.
            let places = bytes.ranges(of: Array(text.utf8)).map { $0.lowerBound + offset }
            #expect(!places.isEmpty)
            for place in places { #expect(Files.overwrite(path, at: place, with: [bytes[place] ^ 1])) }
            let verification = try Store.verify(at: fixture.path)
            #expect(verification.findingCount == 1)
            #expect(verification.records == 99)
            #expect(
                verification.findings.first?.contains(/record \d+:\d+ is damaged/) == true,
                "\(verification.findings)"
            )
        }
    }

    /// Changes the databases of a closed store behind its back.
    private static func change(
        _ fixture: StoreFixture,
        _ body: (StoreDatabases, inout WriteTransaction) throws(LMDBError) -> Void
    ) throws {
        let environment = try Environment(
            directory: fixture.path,
            options: StoreFixture.configuration().environmentOptions(StoreFaults())
        )
        try environment.write { (transaction) throws(LMDBError) in
            let databases = try StoreDatabases(opening: &transaction)
            try body(databases, &transaction)
        }
    }

    /// One thing that does not fit the others, and what the finding says of it.
    private enum Disagreement: String, CaseIterable {
        case record = "which is not there"
        case index = "are in no index"
        case indexEntry = "an index entry is damaged"
        case missingExpiry = "1 records that expire are not in the expiry order"
        case strangeExpiry = "the expiry order holds a record that is not there"
        case strangeExtension = "1 keys belong to no extension"
        case counts = "has 100 records"
        case ledger = "the ledger is missing"
        case deadCount = "0 bytes of pack 1 are in no index, not the 70 that are counted as dead"
        case damagedDeadCount = "the count of dead bytes of pack 1 is damaged"
        case strangeDeadCount = "dead bytes are counted of pack 99, which is not there"

        func make(_ databases: StoreDatabases, _ transaction: inout WriteTransaction) throws(LMDBError) {
            switch self {
            case .record: try transaction.remove(firstKey(of: databases.data, transaction), from: databases.data)
            case .index: try transaction.remove(firstKey(of: databases.index, transaction), from: databases.index)
            case .indexEntry:
                let key = try firstKey(of: databases.index, transaction)
                try transaction.put([UInt8](repeating: 7, count: 28), forKey: key, in: databases.index)
            case .missingExpiry:
                let key = try firstKey(of: databases.extensionData, transaction)
                try transaction.remove(key, from: databases.extensionData)
            case .strangeExpiry:
                var key = try firstKey(of: databases.extensionData, transaction)
                key[17] = 0xEE
                try transaction.put([UInt8](repeating: 0, count: 16), forKey: key, in: databases.extensionData)
            case .strangeExtension: try transaction.put([1], forKey: [0x7F, 0x01, 0], in: databases.extensionData)
            case .counts:
                let stored = try transaction.withValue(forKey: RecordStore.ledgerKey, in: databases.meta) { $0.array }
                guard case .ledger(var ledger)? = stored.map(Ledger.read) else { return }
                for instance in ledger.counts.keys { ledger.counts[instance]?.entries += 1 }
                try transaction.put(ledger.encoded, forKey: RecordStore.ledgerKey, in: databases.meta)
            case .deadCount: try count(70, in: 1, databases, &transaction)
            case .damagedDeadCount:
                try transaction.put([UInt8](repeating: 7, count: 8), forKey: UInt64(1).bytes, in: databases.packs)
            case .strangeDeadCount: try count(70, in: 99, databases, &transaction)
            case .ledger: try transaction.remove(RecordStore.ledgerKey, from: databases.meta)
            }
        }

        private func count(
            _ bytes: Int,
            in pack: UInt64,
            _ databases: StoreDatabases,
            _ transaction: inout WriteTransaction
        ) throws(LMDBError) {
            let stored = try transaction.withValue(forKey: RecordStore.ledgerKey, in: databases.meta) { $0.array }
            guard case .ledger(let ledger)? = stored.map(Ledger.read) else { return }
            let waste = PackWaste(bytes: bytes).encodedBytes(pack: pack, seed: HashSeed(value: ledger.seed))
            try transaction.put(waste, forKey: pack.bytes, in: databases.packs)
        }

        private func firstKey(
            of database: Database,
            _ transaction: borrowing WriteTransaction
        ) throws(LMDBError) -> [UInt8] {
            try transaction.withCursor(in: database) { (cursor) throws(LMDBError) in
                guard try cursor.move(.first) else { return [] }
                return cursor.withEntry { key, _ in key.array }
            }
        }
    }

    @Test("disagreement of records, index, order and counters is found", arguments: Disagreement.allCases)
    private func disagreement(_ disagreement: Disagreement) throws {
        let fixture = try Self.closedStore()
        try Self.change(fixture, disagreement.make)
        let verification = try Store.verify(at: fixture.path)
        #expect(!verification.isSound)
        #expect(verification.findings.contains { $0.contains(disagreement.rawValue) }, "\(verification.findings)")
        #expect(verification.findingCount <= 4, "\(verification.findings)")
    }

    @Test("A76 a broken page, a truncated file and a lost STATE are findings, never a crash")
    func brokenStructure() throws {
        for length in [0, 100, 8_192, 12_288] {
            let fixture = try Self.closedStore()
            #expect(Files.truncate("\(fixture.path)/data.mdb", to: length))
            #expect(try !Store.verify(at: fixture.path).isSound)
        }
        for seed in 0..<40 {
            let fixture = try Self.closedStore()
            var random = SeededRandom(seed: UInt64(seed))
            let pages = try #require(Files.size("\(fixture.path)/data.mdb")) / 4096
            let page = Int.random(in: 0..<pages, using: &random)
            #expect(Files.overwrite("\(fixture.path)/data.mdb", at: page * 4096, with: pattern(seed, count: 4096)))
            // A page that is free or holds the older meta may be anything.
            let verification = try Store.verify(at: fixture.path)
            #expect(verification.isSound == verification.findings.isEmpty)
            let file = try StoreFile(path: fixture.path)
            guard let content = try? file.content(), let table = content.tables.first else { continue }
            _ = try? content.forEachRecord(in: table) { #expect($0.payload.starts(with: Array("value".utf8))) }
            _ = try? content.record(forKey: Array("key 5".utf8), in: table)
            _ = try? content.freeBytes()
        }
        let fixture = try Self.closedStore()
        Files.remove("\(fixture.path)/STATE")
        #expect(try Store.verify(at: fixture.path).findings == ["STATE is missing, so it is no store's"])
    }

    @Test("verifying needs a store that nobody has open, and makes none")
    func refusals() throws {
        let fixture = try StoreFixture()
        #expect(throws: StoreError.self) { try Store.verify(at: fixture.path) }
        #expect(Files.size(fixture.path) == nil)
        #expect(Files.makeDirectory(fixture.path))
        let missing = #expect(throws: StoreError.self) { try Store.verify(at: fixture.path) }
        #expect(missing?.code == .notFound)
        #expect(Files.size("\(fixture.path)/LOCK") == nil)

        let store = try fixture.open()
        let taken = #expect(throws: StoreError.self) { try Store.verify(at: fixture.path) }
        #expect(taken?.code == .inUse)
        try store.close()
        #expect(try Store.verify(at: fixture.path).isSound)
    }

    @Test("a closed store is read without being changed")
    func readsOnly() throws {
        let fixture = try Self.closedStore()
        let before = try #require(Files.read("\(fixture.path)/data.mdb"))
        let file = try StoreFile(path: fixture.path)
        let content = try file.content()
        let table = try #require(content.tables.first)
        #expect(table.name == "bytes")
        #expect(table.keyKind == "string")
        #expect(table.entries == 100)
        let record = try #require(try content.record(forKey: Array("key 8".utf8), in: table))
        #expect(record.payload == Array("value 8 ".utf8) + pattern(8, count: 200))
        #expect(record.expires == record.created + .seconds(60))
        #expect(try content.record(forKey: Array("key 100".utf8), in: table) == nil)
        var keys: [String] = []
        let damaged = try content.forEachRecord(in: table) { keys.append(String(decoding: $0.key, as: UTF8.self)) }
        #expect(damaged == 0)
        #expect(keys == (0..<100).map { "key \($0)" })
        var bytes = 0
        try content.forEachSummary { bytes += $0.recordBytes }
        #expect(bytes == table.liveBytes)
        #expect(Files.read("\(fixture.path)/data.mdb") == before)
    }
}
