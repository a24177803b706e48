import Dispatch
import LarderMemory

/// Whether a condition comes true within ten seconds; for what another thread does soon and nothing announces.
func eventually(_ condition: () -> Bool) -> Bool {
    let end = DispatchTime.now() + .seconds(10)
    let pause = DispatchSemaphore(value: 0)
    while !condition() {
        guard DispatchTime.now() < end else { return false }
        _ = pause.wait(timeout: .now() + .milliseconds(1))
    }
    return true
}

extension MemoryCache {
    /// Whether neither count nor cost nor enumeration shows an entry.
    var isEmptyNow: Bool { count == 0 && totalCost == 0 && keys.isEmpty }
}
