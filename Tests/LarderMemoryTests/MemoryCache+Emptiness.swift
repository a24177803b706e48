import LarderMemory

extension MemoryCache {
    /// Whether neither count nor cost nor enumeration shows an entry.
    var isEmptyNow: Bool { count == 0 && totalCost == 0 && keys.isEmpty }
}
