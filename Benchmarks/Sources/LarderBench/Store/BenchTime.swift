internal import Synchronization

/// A wall clock moved by hand, so that records expire when the benchmark says.
final class BenchTime: Sendable {
    private let offset = Atomic<Int64>(0)

    /// Seconds since the start of 1970.
    var seconds: Int64 { 1_800_000_000 + offset.load(ordering: .relaxed) }

    func advance(seconds: Int64) {
        offset.wrappingAdd(seconds, ordering: .relaxed)
    }
}
