internal import Glibc

/// A generator whose numbers follow from its seed (SplitMix64), so that a failing test can be run again.
package struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    /// A generator with a fresh seed, which it prints, or with the one in the environment variable `LARDER_TEST_SEED`.
    package static func printingSeed(of test: String = #function) -> SeededRandom {
        // Safety: the string is copied before anything could change the environment.
        let given = unsafe getenv("LARDER_TEST_SEED").flatMap { unsafe UInt64(String(cString: $0)) }
        let seed = given ?? .random(in: .min ... .max)
        print("seed of \(test): \(seed)")
        return SeededRandom(seed: seed)
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
