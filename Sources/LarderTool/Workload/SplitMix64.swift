/// A small, fast, seeded random number generator (Steele, Lea and Flood, 2014): the same numbers everywhere.
///
/// The tests' `SeededRandom` is another copy on purpose: no library draws numbers, and none is to carry a generator for the
/// tool and the tests.
struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.mix(state)
    }

    /// A number from 0 to below 1.
    mutating func nextFraction() -> Double {
        Double(next() >> 11) * 0x1p-53
    }

    /// Scatters numbers over all 64 bits, each to one of its own.
    static func mix(_ value: UInt64) -> UInt64 {
        var value = value
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
