/// Hashes keys for the table: seeded, so that nobody outside can aim keys at one place, and fast for the usual keys.
///
/// Strings and integers are folded by wide multiplications with two secret words (the construction of wyhash); every
/// other key goes through the standard library's `Hasher`. Keys that are equal hash equally; for strings that means
/// canonical equivalence, as `String` itself compares.
@usableFromInline
struct KeyHash: Sendable {
    @usableFromInline let first: UInt64
    @usableFromInline let second: UInt64

    /// Draws fresh secret words.
    init() {
        self.init(first: .random(in: .min ... .max), second: .random(in: .min ... .max))
    }

    /// Takes given secret words, for tests that need the same order each time.
    init(first: UInt64, second: UInt64) {
        self.first = first
        self.second = second
    }

    /// The hash of a key.
    ///
    /// The comparisons of types vanish where the key type is known to the compiler.
    @inlinable
    @inline(__always)
    func hash<Key: Hashable>(_ key: Key) -> UInt64 {
        // Safety: each cast is guarded by the equality of the types.
        if Key.self == String.self { return string(unsafe unsafeBitCast(key, to: String.self)) }
        if Key.self == Int.self { return word(UInt64(bitPattern: Int64(unsafe unsafeBitCast(key, to: Int.self)))) }
        if Key.self == Int64.self { return word(UInt64(bitPattern: unsafe unsafeBitCast(key, to: Int64.self))) }
        if Key.self == UInt64.self { return word(unsafe unsafeBitCast(key, to: UInt64.self)) }
        if Key.self == UInt.self { return word(UInt64(unsafe unsafeBitCast(key, to: UInt.self))) }
        return word(UInt64(bitPattern: Int64(key.hashValue)))
    }

    @inlinable
    @inline(__always)
    func word(_ value: UInt64) -> UInt64 {
        let folded = Self.fold(value ^ first, second ^ 0x9E37_79B9_7F4A_7C15)
        return Self.fold(folded ^ second, first | 1)
    }

    /// Both halves of the full product, so that every bit of either factor reaches every bit of the result.
    @inlinable
    @inline(__always)
    static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let (high, low) = left.multipliedFullWidth(by: right)
        return high ^ low
    }
}
