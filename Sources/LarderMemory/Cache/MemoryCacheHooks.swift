extension MemoryCache {
    /// Closures that a cache calls around its changes.
    ///
    /// The add and remove hooks run inside the barrier: every read and write of the cache by another thread waits until
    /// they return. A hook may call the cache: reads are answered in place, writes are carried out right after the barrier,
    /// in order, before the outer call returns.
    public struct Hooks: Sendable {
        /// Called with the cache, a key and its value.
        public typealias EntryHook = @Sendable (MemoryCache<Key, Value>, Key, Value) -> Void

        /// Called with the cache, a key, its value and why it leaves.
        public typealias RemovalHook = @Sendable (MemoryCache<Key, Value>, Key, Value, RemovalCause) -> Void

        /// Called with the cache.
        public typealias CacheHook = @Sendable (MemoryCache<Key, Value>) -> Void

        /// Called with the cache and how urgent the pressure is.
        public typealias PressureHook = @Sendable (MemoryCache<Key, Value>, PressureLevel) -> Void

        /// Just before a value is added.
        public var willAdd: EntryHook?

        /// Just after a value was added.
        public var didAdd: EntryHook?

        /// Just before an entry is removed, replaced or evicted; once per entry.
        ///
        /// Not called by `removeAll`.
        public var willRemove: RemovalHook?

        /// Just after an entry was removed, replaced or evicted.
        public var didRemove: RemovalHook?

        /// Just before `removeAll` removes everything.
        public var willRemoveAll: CacheHook?

        /// Just after `removeAll` removed everything.
        public var didRemoveAll: CacheHook?

        /// Under memory pressure, whatever the cache's response is.
        ///
        /// Runs beside other work, not in the barrier.
        public var didReceiveMemoryPressure: PressureHook?

        /// After `enterBackground()`, whatever it clears.
        ///
        /// Runs beside other work, not in the barrier.
        public var didEnterBackground: CacheHook?

        /// No hooks; set the ones you need.
        public init() {}

        /// Whether any hook must run inside the barrier.
        var needsBarrier: Bool {
            willAdd != nil || didAdd != nil || willRemove != nil || didRemove != nil
                || willRemoveAll != nil || didRemoveAll != nil
        }
    }
}
