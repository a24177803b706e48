internal import LMDB

extension Store: CustomStringConvertible {
    /// One line for a log, above all at open: where the store is, what it holds and what it is limited to.
    public var description: String {
        let statistics = statistics
        let budget = ByteCount.bytes(statistics.budgetBytes)
        let largest = ByteCount.bytes(configuration.effectiveMaxValueBytes)
        return """
            store at \(path): \(statistics.entries) records in \(ByteCount.bytes(statistics.usedBytes)) of a budget of \
            \(budget), none larger than \(largest), durability \(configuration.durability.rawValue), LMDB \(engineVersion)
            """
    }
}
