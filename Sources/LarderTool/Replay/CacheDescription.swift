/// What requests were served through, as it was in effect: the command line over the configuration file over the defaults.
struct CacheDescription {
    /// One line for people.
    var name: String

    var tier = ReplayTier.memory
    var policy = ""

    /// The memory tier's limit on entries; `nil` for none.
    var countLimit: Int?

    /// The memory tier's limit on cost; `nil` for none.
    var costLimit: Int?

    /// The disk tier's budget in bytes; `nil` without a disk tier, as the two that follow.
    var diskBudget: Int?

    var durability: String?

    /// Where the disk tier is kept; `nil` also for a temporary directory, which another replay would not find again.
    var directory: String?

    /// The configuration file, as it was given.
    var configurationPath: String?
}
