/// Values that left the cache in a barrier, carried out of it: releasing one may run a `deinit` that calls the cache.
///
/// The usual cases, one replaced value or one victim, need no allocation.
@usableFromInline
struct Leftovers<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    @usableFromInline typealias Pair = CacheState<Key, Value>.Pair

    @usableFromInline var replaced: Value?
    @usableFromInline var first: Pair?
    @usableFromInline var rest: [Pair]?

    @inlinable
    init() {}

    @inlinable
    mutating func add(_ pair: Pair) {
        guard first != nil else {
            first = pair
            return
        }
        if rest == nil { rest = [] }
        rest?.append(pair)
    }
}

/// What a removal by key took out, expired or not.
@usableFromInline
struct Removed<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    @usableFromInline let pair: CacheState<Key, Value>.Pair?
    @usableFromInline let isAlive: Bool

    @inlinable
    init(pair: CacheState<Key, Value>.Pair?, isAlive: Bool) {
        self.pair = pair
        self.isAlive = isAlive
    }

    /// The value, unless its life was over.
    @inlinable var liveValue: Value? { isAlive ? pair?.value : nil }
}
