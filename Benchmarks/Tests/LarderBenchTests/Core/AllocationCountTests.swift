import Testing

@testable import LarderBench

struct AllocationCountTests {
    // In a process of their own, because the count is of all threads and other tests allocate beside these.

    @Test("a known number of allocations is counted exactly")
    func known() async {
        await #expect(processExitsWith: .success) {
            try AllocationCount.check()
        }
    }

    @Test("an empty round allocates nothing, so that what is counted is the subject's")
    func harness() async {
        await #expect(processExitsWith: .success) {
            let pool = WorkerPool(threads: 2)
            let job = Worker.Job { _ in Tally() }
            _ = try pool.run(threads: 2, job)
            var failure: (any Error)?
            let counted = AllocationCount.during {
                do { _ = try pool.run(threads: 2, job) } catch { failure = error }
            }
            try #require(failure == nil)
            try #require(counted == 0, "\(counted) allocations")
        }
    }
}
