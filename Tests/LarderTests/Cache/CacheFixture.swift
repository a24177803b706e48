import Larder
import LarderMemory
import LarderStore
import TestSupport
import Threading

@testable import Larder

/// A tiered cache of strings over a fresh directory, with both of its clocks moved by hand.
final class CacheFixture: Sendable {
    let directory: TemporaryDirectory
    let clock = LarderMemory.ManualClock()
    let time = TestSupport.ManualClock()
    let gap = Gap()
    let failures = Failures()
    private let configuration: TieredCacheConfiguration

    init(
        memory: MemoryCacheConfiguration = MemoryCacheConfiguration(),
        store: StoreConfiguration = StoreConfiguration(budget: .mebibytes(64)),
        expiration: Duration? = nil
    ) throws {
        directory = try TemporaryDirectory()
        configuration = TieredCacheConfiguration(
            memory: memory,
            disk: .init(directory: directory.path("store"), store: store),
            expiration: expiration
        )
    }

    /// Opens the cache; again after `close()`.
    func open() throws -> TieredCache<String, String> {
        try TieredCache(
            configuration: configuration,
            codec: .string,
            onError: { [failures] error, key in failures.note(error, key) },
            clock: .manual(clock),
            wallClock: time.clock,
            beforePromotion: { [gap] key in gap.run(key) }
        )
    }

    /// Lets time pass by both clocks.
    func advance(by duration: Duration) {
        clock.advance(by: duration)
        time.advance(by: duration)
    }
}

/// What a test does between a disk read and its promotion; once.
final class Gap: Sendable {
    private let action = Lock<(@Sendable () -> Void)?>(nil)

    func fill(_ action: @escaping @Sendable () -> Void) {
        self.action.withLock { $0 = action }
    }

    func run(_ key: String) {
        let action = action.withLock { action in
            defer { action = nil }
            return action
        }
        action?()
    }
}

/// The failures that the error handler was told of.
final class Failures: Sendable {
    private let list = Lock<[(code: CacheError.Code, key: String?)]>([])

    var codes: [CacheError.Code] { list.withLock { $0.map(\.code) } }
    var keys: [String?] { list.withLock { $0.map(\.key) } }

    func note(_ error: CacheError, _ key: String?) {
        list.withLock { $0.append((error.code, key)) }
    }
}
