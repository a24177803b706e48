internal import LMDB

/// Having room at the end of the file before commits need it.
extension Writer {
    /// Makes the file longer if the next commits are likely to; called when nobody waits for the writer.
    ///
    /// - Parameter sizes: Those after the last commit.
    mutating func growFile(_ sizes: EnvironmentStatistics) {
        // Another process may commit at any time, to where this would write.
        guard core.sharing == nil, damage == nil, !isDeleted else { return }
        switch configuration.durability {
        case .strict, .commit: break
        case .checkpointed, .fast: return
        }
        guard let size = growth.note(highWater: sizes.highWaterBytes, fileBytes: sizes.fileBytes) else { return }
        environment.grow(toBytes: size)
    }
}
