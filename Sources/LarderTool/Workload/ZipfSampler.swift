internal import Glibc

/// Draws ranks whose frequency falls as a power of the rank, by rejection-inversion (Hörmann and Derflinger, 1996).
///
/// No table: any number of ranks costs the same memory, and little more than one draw on average.
struct ZipfSampler {
    let count: Int
    let exponent: Double

    private let lowest: Double
    private let highest: Double
    private let acceptance: Double

    /// Creates a sampler of the ranks 1 to `count`.
    ///
    /// - Parameters:
    ///   - count: The number of ranks, 1 or more.
    ///   - exponent: How steeply the frequency falls, above 0; 1 is Zipf's law.
    init(count: Int, exponent: Double) {
        self.count = count
        self.exponent = exponent
        lowest = Self.integral(1.5, exponent) - 1
        highest = Self.integral(Double(count) + 0.5, exponent)
        acceptance =
            2 - Self.inverseIntegral(Self.integral(2.5, exponent) - Self.weight(2, exponent), exponent)
    }

    func next(using random: inout SplitMix64) -> Int {
        while true {
            let area = highest + random.nextFraction() * (lowest - highest)
            let point = Self.inverseIntegral(area, exponent)
            let rank = min(max(point.rounded(), 1), Double(count))
            if rank - point <= acceptance
                || area >= Self.integral(rank + 0.5, exponent) - Self.weight(rank, exponent)
            {
                return Int(rank)
            }
        }
    }

    private static func weight(_ x: Double, _ exponent: Double) -> Double {
        exp(-exponent * log(x))
    }

    /// The area under the weight from 1 to `x`; its closed form is (x^(1-e) - 1) / (1-e), which is unstable near e = 1.
    private static func integral(_ x: Double, _ exponent: Double) -> Double {
        let logarithm = log(x)
        let power = (1 - exponent) * logarithm
        return logarithm * (abs(power) > 1e-8 ? expm1(power) / power : 1 + power / 2)
    }

    private static func inverseIntegral(_ area: Double, _ exponent: Double) -> Double {
        // Rounding may push this below -1, where the logarithm has no value.
        let power = max(area * (1 - exponent), -1)
        return exp(area * (abs(power) > 1e-8 ? log1p(power) / power : 1 - power / 2))
    }
}
