internal import LMDB
internal import Threading

/// The damage that reads have met: when it is more than a record here and there, the file is given up.
struct DamageReports {
    /// A disk that spoils that many records in that time spoils more than records.
    private static let limit = 100
    private static let window: UInt64 = 60_000_000_000

    /// A record as it was written once: one that replaces it is another one.
    private struct Record: Hashable {
        let hash: RecordHash
        let sequence: UInt64
    }

    /// Those found since `start`: one that many read before it is removed is still one.
    private var records: Set<Record> = []
    private var start: UInt64 = 0
    /// Whether the file is to be given up for what was found in it; not any more once there is another one.
    private(set) var isGivenUp = false

    /// Takes note of a record whose checksum is wrong.
    ///
    /// - Returns: Whether it is a new one, to be removed, and whether the file has to be given up for it, once.
    mutating func noteRecord(
        _ hash: RecordHash,
        at sequence: UInt64,
        now: UInt64
    ) -> (isNew: Bool, givesUp: Bool) {
        // Another thread's time may be the later one.
        if now > start, now - start > Self.window { (records, start) = ([], now) }
        guard records.count < Self.limit else { return (true, false) }
        guard records.insert(Record(hash: hash, sequence: sequence)).inserted else { return (false, false) }
        return (true, records.count == Self.limit && giveUp())
    }

    /// Returns whether the file was not given up before.
    mutating func giveUp() -> Bool {
        defer { isGivenUp = true }
        return !isGivenUp
    }

    static let tooMany = "\(limit) records were found damaged within a minute"
}

extension StoreCore {
    /// Counts a lookup that failed; damage is the writer's to deal with.
    func noteReadFailure(_ error: LMDBError?) {
        counters.readFailures.count()
        guard let error, error.isDamage, damageReports.withLock({ $0.giveUp() }) else { return }
        queue.enqueue(WriteOperation(.setAside("the engine reports \(error)")))
    }

    /// Counts a record whose bytes are not those that were written, and has it removed.
    func meetDamaged(_ hash: RecordHash, at sequence: UInt64) {
        let now = monotonicNanoseconds()
        let (isNew, givesUp) = damageReports.withLock { $0.noteRecord(hash, at: sequence, now: now) }
        guard isNew else { return }
        discard(hash, at: sequence)
        if givesUp { queue.enqueue(WriteOperation(.setAside(DamageReports.tooMany))) }
    }
}
