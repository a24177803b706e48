internal import Glibc
internal import Synchronization

/// A counter for what every lookup does: threads add in different places, so that they do not pass a cache line around.
@safe
final class StripedCounter: @unchecked Sendable {
    // because: the cells are atomic, and the pointer never changes.

    private static let stripes = 16

    /// Two cache lines, which the processor likes to fetch together.
    private static let stride = 128 / MemoryLayout<UInt64>.stride

    // Safety: allocated and initialised in init, freed in deinit; indices are below stripes × stride.
    private let cells: UnsafeMutablePointer<Atomic<UInt64>>

    init() {
        unsafe cells = .allocate(capacity: Self.stripes * Self.stride)
        for index in 0..<(Self.stripes * Self.stride) { unsafe (cells + index).initialize(to: Atomic(0)) }
    }

    deinit {
        unsafe cells.deinitialize(count: Self.stripes * Self.stride)
        unsafe cells.deallocate()
    }

    func count() {
        // The low bits of a thread's address are the same for all of them.
        let stripe = Int(truncatingIfNeeded: (UInt64(pthread_self()) &* 0x9E37_79B9_7F4A_7C15) >> 60)
        unsafe cells[stripe * Self.stride].wrappingAdd(1, ordering: .relaxed)
    }

    /// The sum, exact once the threads that count have stopped.
    var value: UInt64 {
        (0..<Self.stripes).reduce(0) { sum, stripe in
            unsafe sum &+ cells[stripe * Self.stride].load(ordering: .relaxed)
        }
    }
}
