import LMDB
import TestSupport

@testable import LarderStore

/// The records of a store without its queue and its writer: a test says what goes into one transaction.
struct BareRecords {
    private let directory: TemporaryDirectory
    let environment: Environment
    let records: RecordStore
    let sketch = AccessSketch(budget: .mebibytes(1), records: 0)
    var ledger: Ledger

    init() throws {
        directory = try TemporaryDirectory()
        let environment = try Environment(
            directory: directory.path,
            options: StoreFixture.configuration().environmentOptions(StoreFaults())
        )
        var ledger = Ledger(seed: 77)
        records = try environment.write { (transaction) throws(LMDBError) -> RecordStore in
            let databases = try StoreDatabases(opening: &transaction)
            return RecordStore(
                databases: databases,
                seed: HashSeed(value: ledger.seed),
                extensions: ledger.attach([ExpiryOrder()], in: databases.extensionData)
            )
        }
        self.environment = environment
        self.ledger = ledger
    }

    func hash(_ key: Int, instance: UInt32 = 1) -> RecordHash {
        records.seed.hash(instance: instance, key: Array("\(key)".utf8))
    }

    /// Runs a transaction as the writer does, and returns what it has done.
    @discardableResult
    mutating func write(
        _ body: (RecordStore, inout WriteTransaction, inout RecordChanges) throws(LMDBError) -> Void
    ) throws(LMDBError) -> RecordChanges {
        let (records, ledger) = (records, ledger)
        let changes = try environment.write { (transaction) throws(LMDBError) -> RecordChanges in
            var changes = RecordChanges(ledger)
            try body(records, &transaction, &changes)
            try records.settle(&transaction, &changes)
            return changes
        }
        self.ledger = changes.ledger
        return changes
    }

    /// Puts the pattern of each key's number in one transaction.
    @discardableResult
    mutating func put(
        _ keys: some Sequence<Int>,
        count: Int,
        expires: WallTime = .never,
        instance: UInt32 = 1
    ) throws(LMDBError) -> RecordChanges {
        let keys = Array(keys)
        let hashes = keys.map { hash($0, instance: instance) }
        return try write { (records, transaction, changes) throws(LMDBError) in
            for (key, hash) in zip(keys, hashes) {
                let record = records.record(key, pattern(key, count: count), expires: expires, instance: instance)
                try records.put(record.header, content: record.content, hash: hash, &transaction, &changes)
            }
        }
    }

    @discardableResult
    mutating func remove(_ keys: some Sequence<Int>) throws(LMDBError) -> RecordChanges {
        let hashes = keys.map { hash($0) }
        return try write { (records, transaction, changes) throws(LMDBError) in
            for hash in hashes { try records.remove(hash, &transaction, &changes) }
        }
    }

    /// Evicts whatever is among the first `limit` records.
    mutating func evict(limit: Int) throws(LMDBError) {
        let sketch = sketch
        try write { (records, transaction, changes) throws(LMDBError) in
            _ = try records.evict(
                downTo: 0,
                limit: limit,
                now: WallTime(nanoseconds: 2),
                sketch: sketch,
                &transaction,
                &changes
            )
        }
    }

    enum Found: Equatable {
        case value([UInt8])
        case absent
        case damaged
    }

    /// What a lookup of a key finds.
    func find(_ key: Int) throws -> Found {
        let bytes = Array("\(key)".utf8)
        return try environment.read { (snapshot) throws(LMDBError) -> Found in
            // Safety: bytes have no padding.
            switch try records.find(hash(key), key: unsafe bytes.span.bytes, wantsPayload: true, snapshot) {
            case .found(_, let payload): .value(payload)
            case .absent: .absent
            case .damaged: .damaged
            }
        }
    }

    /// Where the index says a key's record lies.
    func place(_ key: Int) throws -> RecordPlace? {
        let (hash, seed) = (hash(key), records.seed)
        return try environment.read { (snapshot) throws(LMDBError) -> RecordPlace? in
            try snapshot.withValue(forKey: hash, in: records.index) { bytes in
                IndexEntry(bytes, hash: hash, seed: seed)?.place
            } ?? nil
        }
    }

    /// One pack as it lies in the data, and what is counted as dead in it.
    struct Pack {
        let number: UInt64
        let byteCount: Int
        let living: Int
        let counted: Int
    }

    /// Every pack but those in pieces.
    func packs() throws -> [Pack] {
        try environment.write { (transaction) throws(LMDBError) -> [Pack] in
            var packs: [Pack] = []
            for pack in try records.packs(from: 0, limit: .max, transaction).packs {
                guard pack.heads.allSatisfy({ RecordPieces.count($0.header.recordBytes) == 1 }) else { continue }
                var living = 0
                for head in pack.heads where try records.isLiving(head, transaction) {
                    living += head.header.recordBytes
                }
                let counted = try transaction.withValue(forKey: pack.number, in: records.packs) { bytes in
                    PackWaste(bytes, pack: pack.number, seed: records.seed)?.bytes ?? -1
                }
                let byteCount = try transaction.withValue(forKey: pack.number, in: records.data) { $0.byteCount }
                packs.append(
                    Pack(number: pack.number, byteCount: byteCount ?? 0, living: living, counted: counted ?? 0)
                )
            }
            return packs
        }
    }

    /// Changes the bytes stored under a number behind everyone's back.
    func change(_ pack: UInt64, in database: Database, _ body: (inout [UInt8]) -> Void) throws {
        try environment.write { (transaction) throws(LMDBError) in
            var bytes = try transaction.withValue(forKey: pack, in: database) { $0.array } ?? []
            body(&bytes)
            try transaction.remove(pack, from: database)
            try transaction.put(bytes, forKey: pack.bytes, in: database)
        }
    }
}

extension RecordStore {
    /// A record whose key is the text of a number.
    func record(
        _ key: Int,
        _ value: [UInt8],
        expires: WallTime = .never,
        instance: UInt32 = 1
    ) -> (header: RecordHeader, content: [UInt8]) {
        let key = Array("\(key)".utf8)
        let content = key + value
        let header = RecordHeader(
            contentChecksum: seed.checksum(of: content),
            created: WallTime(nanoseconds: 1),
            expires: expires,
            cost: 0,
            keyLength: UInt32(key.count),
            payloadLength: UInt32(value.count),
            instance: instance,
            codec: 1
        )
        return (header, content)
    }
}
