public import LarderStore

/// The disk side of a cache: one table of one store, and the translation of its errors.
@usableFromInline
struct DiskTier<Key: StoreKey, Value: Sendable>: Sendable {
    @usableFromInline let store: Store
    @usableFromInline let table: StoreTable<Key, Value>

    /// The one table of a cache's store.
    private static var tableName: String { "cache" }

    init(
        _ configuration: TieredCacheConfiguration.Disk,
        codec: ValueCodec<Value>,
        clock: WallClock,
        reporter: FailureReporter<Key>,
        faults: StoreFaults,
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
            // Two memories over one table would each serve what the other has replaced.
            store = try Store.openAlone(
                at: configuration.directory,
                configuration: configuration.store,
                clock: clock,
                events: events,
                faults: faults
            )
            table = try store.table(Self.tableName, keyedBy: Key.self, codec: codec)
        } catch {
            throw CacheError(.diskUnavailable, "disk: \(error.message)", cause: error)
        }
    }
}
