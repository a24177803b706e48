internal import Synchronization

/// Tells a promotion whether its key was written or removed since it read the disk.
///
/// Keys share 1,024 counters by their hash. Two keys on one counter can make a promotion give up for nothing, which costs a
/// later disk read; a counter cannot fail to notice a change.
@usableFromInline
final class KeyGenerations: Sendable {
    /// The state of a key's counter, and of the one for all keys, at a moment.
    @usableFromInline
    struct Moment: Sendable, Equatable {
        fileprivate let key: UInt64
        fileprivate let all: UInt64
    }

    private let counters: [Counter]
    private let all = Atomic<UInt64>(0)

    init() {
        counters = (0..<1024).map { _ in Counter() }
    }

    /// To be taken before the disk is read.
    ///
    /// Acquiring, and the advances releasing: whoever sees an advance sees the write that caused it as queued.
    @usableFromInline
    func moment(of hash: UInt64) -> Moment {
        Moment(key: counter(hash).value.load(ordering: .acquiring), all: all.load(ordering: .acquiring))
    }

    /// To be called with every write or removal of a key, inside the memory tier's barrier.
    @usableFromInline
    func advance(_ hash: UInt64) {
        counter(hash).value.add(1, ordering: .releasing)
    }

    /// To be called when every key is removed, inside the memory tier's barrier.
    @usableFromInline
    func advanceAll() {
        all.add(1, ordering: .releasing)
    }

    private func counter(_ hash: UInt64) -> Counter {
        counters[Int(truncatingIfNeeded: hash >> 32) & 1023]
    }

    private final class Counter: Sendable {
        let value = Atomic<UInt64>(0)
    }
}
