internal import Threading

/// The right to keep in memory what an open store holds, which only one owner can have at a time.
///
/// Others in the process may have the store open as well; they read the store itself. Given back when it is let go of.
package final class StoreClaim: Sendable {
    private let core: StoreCore

    fileprivate init(_ core: StoreCore) {
        self.core = core
    }

    deinit {
        core.isClaimed.withLock { $0 = false }
        core.isClaimed.notifyAll()
    }
}

extension Store {
    /// Claims the store until the claim is let go of; `nil` if somebody else still has it after a wait.
    package func claim(waiting patience: Duration) -> StoreClaim? {
        core.isClaimed.wait(until: { !$0 }, deadline: .after(patience)) { isClaimed, isFree in
            guard isFree else { return nil }
            isClaimed = true
            return StoreClaim(core)
        }
    }
}
