internal import CAllocationCount

/// Counts what the process allocates, on all threads.
enum AllocationCount {
    /// Runs `body` and returns the number of allocations made meanwhile.
    ///
    /// Not to be nested, and not to be used on two threads at once.
    static func during(_ body: () -> Void) -> UInt64 {
        larder_allocations_start()
        body()
        return larder_allocations_stop()
    }

    /// Counts allocations whose number is known, so that a count of zero means that there were none.
    ///
    /// - Throws: `MeasurementError` when the count is wrong: malloc was taken by something else, such as a sanitizer.
    static func check() throws(MeasurementError) {
        let known = 1_000
        var counted: UInt64 = 0
        // Several attempts: a thread of the runtime may happen to allocate during one.
        for _ in 0..<5 {
            counted = count(of: known)
            if counted == UInt64(known) { return }
        }
        throw MeasurementError(
            "\(known) allocations were counted as \(counted): run without sanitizers and preloaded allocators"
        )
    }

    /// What is counted while `known` objects are made.
    private static func count(of known: Int) -> UInt64 {
        var blocks: [Block] = []
        blocks.reserveCapacity(known)
        let counted = during {
            for number in 0..<known { blocks.append(Block(number: number)) }
        }
        // The blocks are used, so that their allocations cannot be left out.
        let sum = blocks.reduce(0) { $0 + $1.number }
        return sum == known * (known - 1) / 2 ? counted : 0
    }

    private final class Block {
        let number: Int

        init(number: Int) {
            self.number = number
        }
    }
}
