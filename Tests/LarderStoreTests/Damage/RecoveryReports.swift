import LarderStore
import Threading

/// The recoveries that a store has told of.
final class RecoveryReports: Sendable {
    private let recoveries = Lock<[StoreRecovery]>([])

    var events: StoreEvents {
        StoreEvents(onRecovery: { [self] recovery in recoveries.withLock { $0.append(recovery) } })
    }

    var list: [StoreRecovery] { recoveries.withLock { $0 } }
}
