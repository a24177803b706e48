import Testing

@testable import LarderBench

struct WorkerPoolTests {
    @Test("every thread's tally is in the lap, and the lap spans them all")
    func tallies() throws {
        let pool = WorkerPool(threads: 4)
        for threads in 1...4 {
            let lap = try pool.run(threads: threads, Worker.Job { thread in Tally(hits: 1, sink: 1 << thread) })
            #expect(lap.tally == Tally(hits: threads, sink: 1 << threads - 1))
            #expect(lap.nanoseconds >= 0)
            #expect(lap.start <= lap.end)
        }
    }
}
