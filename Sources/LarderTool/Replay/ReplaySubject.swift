/// Which tier answered.
enum AnsweringTier {
    case memory
    case disk
}

/// A value that was found.
struct ReplayHit {
    let value: [UInt8]
    let tier: AnsweringTier
}

/// What lies in each tier.
struct TierCounts: Equatable {
    var memoryEntries = 0
    var memoryCost = 0
    var diskEntries = 0
    var diskBytes = 0
}

/// A cache under replay.
///
/// An object that is too large for a tier is not stored in it; that is the cache's own decision, not the replay's.
protocol ReplaySubject {
    /// What the cache is made of, for the report.
    var cacheDescription: CacheDescription { get }

    /// Looks a key up, which counts as an access and promotes from disk.
    func lookup(_ key: Int64) -> ReplayHit?

    /// Stores a value after a miss.
    func store(_ value: [UInt8], forKey key: Int64, cost: Int)

    /// Waits until all that was stored is where it belongs, on disk too.
    func settle() throws

    /// Counts what is there; counts as no access.
    func counts() throws -> TierCounts

    /// Gives everything back; the subject is not used afterwards.
    func close() throws

    /// Serves one pass of requests.
    ///
    /// A requirement although its one implementation stands below: called through `any ReplaySubject` it reaches the
    /// loop that was specialised for the concrete cache, so that a lookup is a direct call and not an existential one.
    func serve(_ pass: inout ReplayPass) throws -> ReplayTally
}

extension ReplaySubject {
    func serve(_ pass: inout ReplayPass) throws -> ReplayTally {
        try pass.run(through: self)
    }
}
