internal import LMDB
internal import Threading

/// The damage that reads have met: when it is more than a record here and there, the file is given up.
struct DamageReports {
    /// A disk that spoils that many records in that time spoils more than records.
    private static let limit = 100
    private static let window: UInt64 = 60_000_000_000

    private var count = 0
    private var start: UInt64 = 0
    /// Whether the file is to be given up for what was found in it; not any more once there is another one.
    private(set) var isGivenUp = false

    /// Takes note of a record whose checksum is wrong; returns whether the file has to be given up for it, once.
    mutating func noteRecord(at nanoseconds: UInt64) -> Bool {
        if count == 0 || nanoseconds &- start > Self.window { (count, start) = (0, nanoseconds) }
        count += 1
        guard count >= Self.limit else { return false }
        return giveUp()
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
        discard(hash, at: sequence)
        let now = monotonicNanoseconds()
        guard damageReports.withLock({ $0.noteRecord(at: now) }) else { return }
        queue.enqueue(WriteOperation(.setAside(DamageReports.tooMany)))
    }
}
