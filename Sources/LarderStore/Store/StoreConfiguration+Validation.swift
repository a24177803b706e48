extension StoreConfiguration {
    /// Checks every field.
    ///
    /// Throws a `StoreError` with code `.invalidConfiguration` that names the field, its value and the remedy.
    public func validate() throws(StoreError) {
        try Self.check(budget >= .mebibytes(1), "budget", budget, "1MiB is the least a store works with")
        try Self.check(budget <= .gibibytes(1 << 14), "budget", budget, "16TiB is the most the address space holds")
        try Self.check(lowWater > 0 && lowWater <= 1, "lowWater", lowWater, "it is a share above 0 and up to 1")
        if let maxValueBytes {
            try Self.check(maxValueBytes.bytes > 0, "maxValueBytes", maxValueBytes, "leave it out for the default")
            try Self.check(
                maxValueBytes.bytes <= min(budget.bytes / 4, 1 << 30),
                "maxValueBytes",
                maxValueBytes,
                "it may be a quarter of the budget (\(budget)) and 1GiB at most"
            )
        }
        try Self.check(
            checkpoint.interval >= .milliseconds(1) && checkpoint.interval <= .seconds(86_400),
            "checkpoint.interval",
            checkpoint.interval,
            "it is between a millisecond and a day"
        )
        try Self.check(
            checkpoint.bytes >= .kibibytes(64) && checkpoint.bytes <= .mebibytes(128),
            "checkpoint.bytes",
            checkpoint.bytes,
            "it is between 64KiB and 128MiB, because that much may be written twice over"
        )
        try Self.check(queue.bytes.bytes >= 4096, "queue.bytes", queue.bytes, "4KiB is the least")
        let operations = queue.maxBatchOperations
        try Self.check(
            (1...65_536).contains(operations),
            "queue.maxBatchOperations",
            operations,
            "it is between 1 and 65536"
        )
        let batch = queue.maxBatchBytes
        try Self.check(
            batch.bytes >= 4096 && batch <= .mebibytes(256),
            "queue.maxBatchBytes",
            batch,
            "it is between 4KiB and 256MiB, because the pages of one commit stay in memory"
        )
        try Self.check(closeDeadline >= .zero, "closeDeadline", closeDeadline, "zero means not to wait")
        try Self.check(expiryInterval >= .zero, "expiryInterval", expiryInterval, "zero means no sweeps")
        try Self.check(slowReadAge >= .zero, "slowReadAge", slowReadAge, "zero looks after no reads")
        if let maxReaders {
            try Self.check((1...4096).contains(maxReaders), "maxReaders", maxReaders, "it is between 1 and 4096")
        }
        if let level = compression?.level {
            try Self.check((1...19).contains(level), "compression.level", level, "it is between 1 and 19")
        }
    }

    private static func check(
        _ isRight: Bool,
        _ field: String,
        _ value: some CustomStringConvertible,
        _ remedy: String
    ) throws(StoreError) {
        guard !isRight else { return }
        throw StoreError(.invalidConfiguration, "\(field) is \(value): \(remedy)")
    }

    private static func text(_ compression: Compression?) -> String {
        compression.map { "from \($0.threshold) at level \($0.level)" } ?? "none"
    }

    /// The first field in which two configurations differ, with both values, for a message.
    func firstDifference(from other: StoreConfiguration) -> String? {
        let fields: [(String, String, String)] = [
            ("budget", "\(budget)", "\(other.budget)"),
            ("lowWater", "\(lowWater)", "\(other.lowWater)"),
            ("maxValueBytes", "\(effectiveMaxValueBytes)", "\(other.effectiveMaxValueBytes)"),
            ("durability", durability.rawValue, other.durability.rawValue),
            ("checkpoint.interval", "\(checkpoint.interval)", "\(other.checkpoint.interval)"),
            ("checkpoint.bytes", "\(checkpoint.bytes)", "\(other.checkpoint.bytes)"),
            ("queue.bytes", "\(queue.bytes)", "\(other.queue.bytes)"),
            ("queue.overflow", queue.overflow.rawValue, other.queue.overflow.rawValue),
            ("queue.maxBatchOperations", "\(queue.maxBatchOperations)", "\(other.queue.maxBatchOperations)"),
            ("queue.maxBatchBytes", "\(queue.maxBatchBytes)", "\(other.queue.maxBatchBytes)"),
            ("closeDeadline", "\(closeDeadline)", "\(other.closeDeadline)"),
            ("expiryInterval", "\(expiryInterval)", "\(other.expiryInterval)"),
            ("maxReaders", "\(maxReaders ?? 0)", "\(other.maxReaders ?? 0)"),
            ("slowReadAge", "\(slowReadAge)", "\(other.slowReadAge)"),
            ("compression", Self.text(compression), Self.text(other.compression)),
        ]
        return fields.first { $0.1 != $0.2 }.map { "\($0.0) is \($0.1), not \($0.2)" }
    }
}
