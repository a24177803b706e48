internal import Synchronization

/// The counters behind `StoreStatistics`: each is added to on its own, without a lock.
final class StoreCounters: Sendable {
    let hits = StripedCounter()
    let misses = StripedCounter()
    let puts = Atomic<UInt64>(0)
    let removals = Atomic<UInt64>(0)
    let expired = Atomic<UInt64>(0)
    let evicted = Atomic<UInt64>(0)
    let damaged = Atomic<UInt64>(0)
    let rejectedTooLarge = Atomic<UInt64>(0)
    let droppedQueueFull = Atomic<UInt64>(0)
    let writeFailures = Atomic<UInt64>(0)
    let readFailures = Atomic<UInt64>(0)
    let commits = Atomic<UInt64>(0)
    let checkpoints = Atomic<UInt64>(0)
    let returnedBytes = Atomic<UInt64>(0)
    let compactions = Atomic<UInt64>(0)
    let quarantined = Atomic<UInt64>(0)
    let slowReads = Atomic<UInt64>(0)

    func fill(_ statistics: inout StoreStatistics) {
        statistics.hits = hits.value
        statistics.misses = misses.value
        statistics.puts = puts.load(ordering: .relaxed)
        statistics.removals = removals.load(ordering: .relaxed)
        statistics.expired = expired.load(ordering: .relaxed)
        statistics.evicted = evicted.load(ordering: .relaxed)
        statistics.damaged = damaged.load(ordering: .relaxed)
        statistics.rejectedTooLarge = rejectedTooLarge.load(ordering: .relaxed)
        statistics.droppedQueueFull = droppedQueueFull.load(ordering: .relaxed)
        statistics.writeFailures = writeFailures.load(ordering: .relaxed)
        statistics.readFailures = readFailures.load(ordering: .relaxed)
        statistics.checkpoints = checkpoints.load(ordering: .relaxed)
        statistics.commits = commits.load(ordering: .relaxed)
        statistics.returnedBytes = returnedBytes.load(ordering: .relaxed)
        statistics.compactions = compactions.load(ordering: .relaxed)
        statistics.quarantined = quarantined.load(ordering: .relaxed)
        statistics.slowReads = slowReads.load(ordering: .relaxed)
    }
}

extension Atomic where Value == UInt64 {
    borrowing func count(_ amount: UInt64 = 1) {
        wrappingAdd(amount, ordering: .relaxed)
    }
}
