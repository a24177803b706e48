/// What one write transaction has done, as far as it is not in the databases yet.
///
/// A value: it replaces what the writer knows only if the transaction commits.
struct RecordChanges {
    /// A record that waits to be laid into a pack with others.
    struct Staged {
        let hash: RecordHash
        let header: RecordHeader
        let content: [UInt8]
    }

    var ledger: Ledger
    var tally = RecordStore.Tally()

    /// In the order of writing; no two of one hash.
    private(set) var staged: [Staged] = []
    private var hashes: Set<RecordHash> = []

    /// The bytes of records that died, by the number of their pack.
    private(set) var dead: [UInt64: Int] = [:]

    /// How many bytes of living records were moved together.
    var cleanedBytes = 0

    /// Whether packs were left of which less than half lives.
    var leavesThinPacks = false

    init(_ ledger: Ledger) {
        self.ledger = ledger
    }

    /// Whether there is something that the databases do not have yet.
    var isUnsettled: Bool { !staged.isEmpty || !dead.isEmpty }

    /// Whether a record waits, so that what the index says under its hash is out of date.
    func isStaged(_ hash: RecordHash) -> Bool {
        !staged.isEmpty && hashes.contains(hash)
    }

    /// Has a record wait; one of its hash must not wait already.
    mutating func stage(_ record: Staged) {
        staged.append(record)
        hashes.insert(record.hash)
    }

    /// The records that wait; from here on none does.
    mutating func takeStaged() -> [Staged] {
        defer {
            staged = []
            hashes = []
        }
        return staged
    }

    /// Notes that a record in a pack has died.
    mutating func noteDead(_ entry: IndexEntry) {
        dead[entry.place.pack, default: 0] += Int(entry.recordBytes)
    }

    /// Forgets what died in a pack that is gone as a whole.
    mutating func forgetDead(in pack: UInt64) {
        dead[pack] = nil
    }

    /// What died in each pack, in their order; from here on nothing has.
    mutating func takeDead() -> [(pack: UInt64, bytes: Int)] {
        defer { dead = [:] }
        return dead.map { ($0.key, $0.value) }.sorted { $0.pack < $1.pack }
    }
}
