public import LarderStore

/// The disk side of a cache: one table of one store, and the translation of its errors.
@usableFromInline
struct DiskTier<Key: StoreKey, Value: Sendable>: Sendable {
    @usableFromInline let store: Store
    @usableFromInline let table: StoreTable<Key, Value>

    /// Held for as long as the cache lives: two memories over one table would each serve what the other has replaced.
    private let claim: StoreClaim

    /// The one table of a cache's store.
    private static var tableName: String { "cache" }

    init(
        _ configuration: TieredCacheConfiguration.Disk,
        codec: ValueCodec<Value>,
        clock: WallClock,
        reporter: FailureReporter<Key>,
        onExternalChange: @escaping @Sendable () -> Void
    ) throws(CacheError) {
        let events = StoreEvents(
            onWriteError: { error, key in
                reporter.report(
                    CacheError(.writeFailed, "disk: \(error.message)", cause: error),
                    Key(storeKeyBytes: key)
                )
            },
            onRecovery: { recovery in
                reporter.report(CacheError(.diskStartedEmpty, "disk: \(recovery)"), nil)
            },
            onExternalChange: { _ in onExternalChange() }
        )
        do {
            store = try Store.open(
                at: configuration.directory,
                configuration: configuration.store,
                clock: clock,
                events: events
            )
            table = try store.table(Self.tableName, keyedBy: Key.self, codec: codec)
        } catch {
            throw CacheError(.diskUnavailable, "disk: \(error.message)", cause: error)
        }
        // A cache that was let go of is kept a little longer by calls that are ending.
        guard let claim = store.claim(waiting: .seconds(1)) else {
            throw CacheError(
                .diskUnavailable,
                "disk.directory: \(configuration.directory) is the directory of another cache in this process, and each would "
                    + "serve from memory what the other has replaced: use that one, close it first, or name another directory"
            )
        }
        self.claim = claim
    }
}
