/// What a store holds and what it has done since it was opened.
///
/// A snapshot: taking one reads counters, not records.
public struct StoreStatistics: Sendable, Hashable, Codable {
    /// Records in the last commit, of all tables; those that have expired count until their space is given back.
    public var entries = 0

    /// Bytes of the records' keys, values and headers.
    public var liveBytes = 0

    /// Bytes of the pages in use: what the budget limits.
    public var usedBytes = 0

    /// Bytes the data file takes on the disk.
    public var allocatedBytes = 0

    /// The size of the data file, which never shrinks while the store is open.
    ///
    /// With durability `.strict` or `.commit` up to 256 KiB at its end are there for commits to come.
    public var fileBytes = 0

    /// The configured budget.
    public var budgetBytes = 0

    /// Lookups that found a record.
    public var hits: UInt64 = 0

    /// Lookups that found none.
    public var misses: UInt64 = 0

    /// Records written.
    public var puts: UInt64 = 0

    /// Records removed by a caller.
    public var removals: UInt64 = 0

    /// Records removed because they had expired.
    public var expired: UInt64 = 0

    /// Records removed to keep within the budget.
    public var evicted: UInt64 = 0

    /// Records that were found damaged or could not be decoded; each was a miss and was removed.
    public var damaged: UInt64 = 0

    /// Writes refused because key and value were larger than `maxValueBytes`.
    public var rejectedTooLarge: UInt64 = 0

    /// Writes dropped because the queue was full, or because `close()` ran out of time.
    public var droppedQueueFull: UInt64 = 0

    /// Writes that could not be committed.
    public var writeFailures: UInt64 = 0

    /// Lookups answered with a miss because every reader was busy or the engine refused one.
    public var readFailures: UInt64 = 0

    /// Write transactions committed.
    public var commits: UInt64 = 0

    /// Bytes of free pages whose space was given back to the file system.
    public var returnedBytes: UInt64 = 0

    /// Times the data was moved to a compacted file.
    public var compactions: UInt64 = 0

    /// Checkpoints completed, with durability `.checkpointed`; the one made at open is not counted.
    public var checkpoints: UInt64 = 0

    /// Times that commits of other processes were noticed, with `multiProcess`.
    public var externalChanges: UInt64 = 0

    /// Bytes of writes that wait for their commit.
    public var queuedBytes = 0

    /// Reader slots taken so far; it never exceeds `maxReaders`.
    public var readers = 0

    /// Data files that were damaged or foreign and were set aside, at open and since.
    public var quarantined: UInt64 = 0

    /// Whether the last commit that was tried had a write that failed: no more once one succeeds.
    public var isFailing = false

    /// Records whose removal could not be committed: no read finds them, and the removal is tried again and again.
    public var hidden = 0

    /// How long the oldest read that is going on has gone on for, when the writer last looked.
    ///
    /// To the quarter of `slowReadAge` at which it looks. What is freed while a read goes on cannot be used again, so that
    /// the file grows.
    public var oldestReaderAge = Duration.zero

    /// Reads that went on for longer than `slowReadAge`.
    public var slowReads: UInt64 = 0

    /// The address space reserved for the data file.
    ///
    /// Less than four times the budget where the process is not allowed that much.
    public var mapBytes = 0

    /// Creates a snapshot in which everything is zero.
    public init() {}
}
