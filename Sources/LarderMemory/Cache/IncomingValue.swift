/// A value on its way into a cache, with what it brings from elsewhere.
@usableFromInline
package struct IncomingValue<Value: Sendable>: Sendable {
    @usableFromInline package let value: Value
    @usableFromInline package let cost: Int

    /// Nanoseconds the value has lived already, when it comes from another tier.
    @usableFromInline package let age: Int64

    /// Nanoseconds it may live from now; `Int64.max` for ever.
    @usableFromInline package let life: Int64

    /// A value with its cost, its age if it was not made just now, and the rest of its life.
    @inlinable
    package init(value: Value, cost: Int, age: Duration? = nil, life: Duration? = nil) {
        self.value = value
        self.cost = max(0, cost)
        // Converting a duration takes longer than a hit: the usual write has neither.
        if let age { self.age = max(0, age.clampedNanoseconds) } else { self.age = 0 }
        if let life { self.life = life.clampedNanoseconds } else { self.life = .max }
    }
}
