internal import Synchronization

/// Counts a failure that the caller does not see, and tells the error handler.
@usableFromInline
struct FailureReporter<Key: Sendable>: Sendable {
    let counters: FacadeCounters
    let onError: (@Sendable (CacheError, Key?) -> Void)?

    @usableFromInline
    func report(_ error: CacheError, _ key: Key?) {
        counters.failures.add(1, ordering: .relaxed)
        onError?(error, key)
    }
}

/// What the facade itself counts, beside the tiers.
///
/// Not on the path of a memory hit: those are counted by the memory tier, in the lane that the hit holds anyway.
@usableFromInline
final class FacadeCounters: Sendable {
    let diskHits = Atomic<UInt64>(0)
    let misses = Atomic<UInt64>(0)
    let promotions = Atomic<UInt64>(0)
    let overtakenPromotions = Atomic<UInt64>(0)
    let failures = Atomic<UInt64>(0)

    @usableFromInline
    func countDiskHit() {
        diskHits.add(1, ordering: .relaxed)
    }

    @usableFromInline
    func countMiss() {
        misses.add(1, ordering: .relaxed)
    }

    @usableFromInline
    func countPromotion() {
        promotions.add(1, ordering: .relaxed)
    }

    @usableFromInline
    func countOvertakenPromotion() {
        overtakenPromotions.add(1, ordering: .relaxed)
    }
}
