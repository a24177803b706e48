/// What the store knows about itself, saved in the same transaction as the records it speaks of.
///
/// A value: a transaction works on a copy, which replaces the original only if it commits.
struct Ledger: Sendable, Hashable {
    struct Table: Sendable, Hashable {
        var instance: UInt32
        var keyKind: String
    }

    struct Count: Sendable, Hashable {
        var entries = 0
        var bytes = 0

        fileprivate mutating func change(by sign: Int, _ entry: IndexEntry) {
            entries += sign
            bytes += sign * Int(entry.recordBytes)
        }
    }

    struct ExtensionRecord: Sendable, Hashable {
        var id: UInt16
        var kind: String
        var version: UInt32
        /// Packs below this sequence were there before the extension; those from `filledTo` on are still to be told.
        var fillEnd: UInt64
        var filledTo: UInt64
    }

    var seed: UInt64
    /// Where the next pack begins.
    var nextSequence = Self.firstSequence
    var nextInstance: UInt32 = 1
    var tables: [String: Table] = [:]
    /// By instance, dead ones included until nothing of them is left.
    var counts: [UInt32: Count] = [:]
    var dead: Set<UInt32> = []
    var extensions: [String: ExtensionRecord] = [:]
    var nextExtension: UInt16 = 1
    /// Keyspaces of extensions that are no more, to be emptied.
    var orphans: Set<UInt16> = []

    /// Pack 1 is the first: sequence 0 is that of no record.
    static let firstSequence = RecordPlace(pack: 1).sequence

    init(seed: UInt64) {
        self.seed = seed
    }

    /// The records of all tables, cleared ones left out.
    var entries: Int { counts.reduce(0) { dead.contains($1.key) ? $0 : $0 + $1.value.entries } }

    var liveBytes: Int { counts.reduce(0) { dead.contains($1.key) ? $0 : $0 + $1.value.bytes } }

    /// The same store without a record: numbers that were given are not given again.
    var emptied: Ledger {
        var ledger = self
        ledger.counts = [:]
        ledger.dead = []
        ledger.orphans = []
        for name in ledger.extensions.keys { ledger.extensions[name]?.filledTo = .max }
        return ledger
    }

    mutating func add(_ entry: IndexEntry) {
        counts[entry.instance, default: Count()].change(by: 1, entry)
    }

    mutating func subtract(_ entry: IndexEntry) {
        counts[entry.instance, default: Count()].change(by: -1, entry)
        if !dead.isEmpty, dead.contains(entry.instance), counts[entry.instance]?.entries == 0 { forget(entry.instance) }
    }

    /// Drops the last trace of a dead instance.
    mutating func forget(_ instance: UInt32) {
        dead.remove(instance)
        counts[instance] = nil
    }

    mutating func register(_ name: String, keyKind: String, instance: UInt32) {
        tables[name] = Table(instance: instance, keyKind: keyKind)
        nextInstance = max(nextInstance, instance + 1)
    }

    /// With the tables and clears of another one that could not be saved: instances only rise.
    func adding(tablesOf other: Ledger) -> Ledger {
        var ledger = self
        for (name, table) in other.tables {
            let saved = tables[name]?.instance ?? 0
            guard table.instance > saved else { continue }
            ledger.clear(name, keyKind: table.keyKind, dead: saved, next: table.instance)
        }
        return ledger
    }

    mutating func clear(_ name: String, keyKind: String, dead instance: UInt32, next: UInt32) {
        register(name, keyKind: keyKind, instance: next)
        if counts[instance]?.entries ?? 0 > 0 {
            dead.insert(instance)
        } else {
            counts[instance] = nil
        }
    }
}
