internal import Dispatch
internal import Foundation

/// Threads that live as long as the run, as those of a service do, so that each round meets the same ones.
final class WorkerPool: Sendable {
    private let workers: [Worker]
    private let finished = DispatchSemaphore(value: 0)

    init(threads: Int) {
        workers = (0..<threads).map { [finished] number in Worker(number: number, finished: finished) }
    }

    deinit {
        for worker in workers { worker.begin(nil) }
    }

    /// Runs the job once on each of the first `threads` workers, at the same time, and waits for all of them.
    ///
    /// Allocates nothing, so that what is counted meanwhile is what the job allocates. Throws the first thread's error.
    func run(threads: Int, _ job: Worker.Job) throws -> Lap {
        for thread in 0..<threads { workers[thread].begin(job) }
        for _ in 0..<threads { finished.wait() }
        var total = try workers[0].lap.get()
        for thread in 1..<threads {
            let lap = try workers[thread].lap.get()
            total.start = min(total.start, lap.start)
            total.end = max(total.end, lap.end)
            total.tally += lap.tally
        }
        return total
    }
}

/// One stretch of work, from the start of its first thread to the end of its last.
struct Lap: Sendable {
    var start: ContinuousClock.Instant
    var end: ContinuousClock.Instant
    var tally: Tally

    var nanoseconds: Double {
        let (seconds, attoseconds) = (end - start).components
        return Double(seconds) * 1e9 + Double(attoseconds) / 1e9
    }
}

/// One thread that waits for jobs.
final class Worker: @unchecked Sendable {
    // because: `job` and `lap` change hands only through the two semaphores, which order their accesses.

    /// What a thread is to do once.
    ///
    /// A struct around the closure, because an optional closure is wrapped in another, which is an allocation.
    struct Job: Sendable {
        let run: @Sendable (_ thread: Int) throws -> Tally
    }

    private let number: Int
    private let started = DispatchSemaphore(value: 0)
    private let finished: DispatchSemaphore
    private var job: Job?
    private(set) var lap: Result<Lap, any Error>

    init(number: Int, finished: DispatchSemaphore) {
        self.number = number
        self.finished = finished
        lap = .success(Lap(start: .now, end: .now, tally: Tally()))
        Thread { [self] in serve() }.start()
    }

    /// Gives the thread its next job; `nil` ends it.
    func begin(_ job: Job?) {
        self.job = job
        started.signal()
    }

    private func serve() {
        while true {
            started.wait()
            guard let job = job.take() else { return }
            run(job)
            finished.signal()
        }
    }

    // A function of its own: what the job holds is let go of before the round counts as finished.
    @inline(never)
    private func run(_ job: consuming Job) {
        let start = ContinuousClock.now
        do {
            let tally = try job.run(number)
            lap = .success(Lap(start: start, end: .now, tally: tally))
        } catch {
            lap = .failure(error)
        }
    }
}
