internal import Foundation

/// Ranks whose frequency falls with a power of the rank: what the popularity of keys usually looks like.
///
/// Exact, from a table of cumulative weights: O(n) to make, O(log n) a draw.
struct ZipfDistribution: Sendable {
    private let cumulative: [Double]

    /// Ranks 0 to `count` − 1, where rank r has weight 1 / (r + 1)^`exponent`.
    init(count: Int, exponent: Double) {
        precondition(count > 0, "a distribution over \(count) ranks has nothing to draw")
        var total = 0.0
        cumulative = (1...count).map { rank in
            total += 1 / pow(Double(rank), exponent)
            return total
        }
    }

    func draw(using random: inout some RandomNumberGenerator) -> Int {
        let target = Double.random(in: 0..<cumulative[cumulative.count - 1], using: &random)
        var low = 0
        var high = cumulative.count - 1
        while low < high {
            let middle = (low + high) / 2
            if cumulative[middle] > target { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
