/// How many records a slice of maintenance takes: few where writes come in, for each of them waits for a slice at most, and
/// many where none do.
///
/// Records that leave together share the pages that have to be written, so a large slice costs less for each.
struct SlicePace {
    private static let smallest = 256
    /// Far below the pages that one of LMDB's transactions can change.
    private static let largest = 8_192

    private(set) var limit = smallest

    /// Learns from a slice that came to its limit how long it took, and whether a write came in meanwhile.
    mutating func note(_ duration: Duration, isAwaited: Bool) {
        if isAwaited, duration > .milliseconds(5) {
            limit = max(limit / 4, Self.smallest)
        } else if duration < .milliseconds(50) {
            limit = min(limit * 2, Self.largest)
        }
    }
}
