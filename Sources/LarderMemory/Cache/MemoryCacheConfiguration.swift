/// The limits and behaviour of a `MemoryCache`.
///
/// Every limit is optional: `nil` means none, zero means that nothing is kept. A limit can be changed later through the
/// cache's property of the same name.
public struct MemoryCacheConfiguration: Sendable, Hashable {
    /// The largest total cost of all entries, in whatever unit the caller gives costs in.
    ///
    /// The default is `nil`: no limit. An entry that alone is costlier is refused.
    public var costLimit: Int?

    /// The largest number of entries.
    ///
    /// The default is `nil`: no limit.
    public var countLimit: Int?

    /// The longest time an entry lives after it was written, however often it is read.
    ///
    /// The default is `nil`: no limit.
    public var ageLimit: Duration?

    /// The longest time an entry lives after it was last read or written.
    ///
    /// The default is `nil`: no limit.
    public var idleLimit: Duration?

    /// Which entry leaves first when a limit on cost or count is reached.
    ///
    /// The default is `.lru`.
    public var policy: EvictionPolicy

    /// What the cache does when the process comes under memory pressure.
    ///
    /// The default removes everything at a critical level and trims to half at a warning.
    public var pressureResponse: PressureResponse

    /// Whether `enterBackground()` removes everything.
    ///
    /// The default is `true`, as in TMMemoryCache.
    public var clearsOnBackground: Bool

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - costLimit: The largest total cost.
    ///   - countLimit: The largest number of entries.
    ///   - ageLimit: The longest life after the write.
    ///   - idleLimit: The longest life after the last access.
    ///   - policy: Which entry leaves first.
    ///   - pressureResponse: What memory pressure does.
    ///   - clearsOnBackground: Whether `enterBackground()` removes everything.
    public init(
        costLimit: Int? = nil,
        countLimit: Int? = nil,
        ageLimit: Duration? = nil,
        idleLimit: Duration? = nil,
        policy: EvictionPolicy = .lru,
        pressureResponse: PressureResponse = .default,
        clearsOnBackground: Bool = true
    ) {
        self.costLimit = costLimit
        self.countLimit = countLimit
        self.ageLimit = ageLimit
        self.idleLimit = idleLimit
        self.policy = policy
        self.pressureResponse = pressureResponse
        self.clearsOnBackground = clearsOnBackground
    }

    /// Checks every field.
    ///
    /// - Throws: `MemoryCacheError` with code `.invalidConfiguration` that names the field, the value and the remedy.
    public func validate() throws(MemoryCacheError) {
        try Self.check(costLimit, "costLimit")
        try Self.check(countLimit, "countLimit")
        try Self.check(ageLimit, "ageLimit")
        try Self.check(idleLimit, "idleLimit")
        try policy.validate()
        try pressureResponse.validate()
    }

    static func check<Limit: Comparable & AdditiveArithmetic>(
        _ limit: Limit?,
        _ field: String
    ) throws(MemoryCacheError) {
        guard let limit, limit < .zero else { return }
        throw MemoryCacheError(
            .invalidConfiguration,
            "\(field) is \(limit): a limit is zero (keep nothing) or more; leave it out for no limit"
        )
    }
}
