/// Measures cases: all subjects of a case in turn, round by round, so that a slow moment of the machine meets all alike.
struct Runner {
    /// How long a round is to last: long enough to drown the start of the threads, short enough for many rounds.
    var roundNanoseconds = 1e8

    /// How long a subject runs before its first round, at least.
    var warmUpNanoseconds = 5e7

    /// Bounds of the operations of a round, over all threads.
    var acceptedOperations = 1_000...4_000_000

    /// Operations of each thread in the pass that counts allocations.
    var countedOperations = 20_000

    let rounds: Int
    private let pool: WorkerPool

    init(rounds: Int, threads: Int) {
        self.rounds = rounds
        pool = WorkerPool(threads: threads)
    }

    func measure(_ benchmark: Case) throws(MeasurementError) -> [CaseResult] {
        let label = "\(benchmark.name), \(benchmark.threads) thread\(benchmark.threads == 1 ? "" : "s")"
        defer { Console.progress("") }
        var entrants: [Entrant] = []
        for subject in benchmark.subjects {
            Console.progress("\(label): preparing \(subject.name)")
            try naming(subject.name, in: benchmark) {
                var entrant = Entrant(subject: subject.name, trial: try subject.prepare())
                try warmUp(&entrant, threads: benchmark.threads)
                entrants.append(entrant)
            }
        }
        for round in 1...rounds {
            Console.progress("\(label): round \(round) of \(rounds)")
            for index in entrants.indices {
                try naming(entrants[index].subject, in: benchmark) {
                    try run(&entrants[index], threads: benchmark.threads)
                }
            }
        }
        var results: [CaseResult] = []
        for index in entrants.indices {
            try naming(entrants[index].subject, in: benchmark) {
                let allocations = try countAllocations(&entrants[index], threads: benchmark.threads)
                results.append(try entrants[index].result(in: benchmark, allocations: allocations))
            }
        }
        return results
    }

    /// Gives an error the name of who made it.
    private func naming(_ subject: String, in benchmark: Case, _ body: () throws -> Void) throws(MeasurementError) {
        do {
            try body()
        } catch let error as MeasurementError {
            throw error
        } catch {
            throw MeasurementError("\(benchmark.name) of \(subject) failed: \(error)")
        }
    }

    private func run(_ entrant: inout Entrant, threads: Int) throws {
        try entrant.trial.prepareRound?()
        let operations = entrant.share * threads
        let lap = try pool.run(threads: threads, entrant.job(of: entrant.share))
        entrant.times.append(lap.nanoseconds / Double(operations))
        entrant.operations += operations
        entrant.hits += lap.tally.hits
    }

    /// Runs until the subject is warm, and settles how many operations make a round.
    private func warmUp(_ entrant: inout Entrant, threads: Int) throws {
        if case .operations(let count) = entrant.trial.round {
            entrant.share = count
            return
        }
        let shares = max(1, acceptedOperations.lowerBound / threads)...max(1, acceptedOperations.upperBound / threads)
        var share = shares.lowerBound
        var elapsed = 0.0
        while true {
            try entrant.trial.prepareRound?()
            let nanoseconds = max(1, try pool.run(threads: threads, entrant.job(of: share)).nanoseconds)
            elapsed += nanoseconds
            let wanted = Double(share) * roundNanoseconds / nanoseconds
            let next = min(max(Int(min(wanted, 1e12)), shares.lowerBound), shares.upperBound)
            if elapsed >= warmUpNanoseconds {
                entrant.share = next
                return
            }
            // By steps, because the first short runs, still cold, say little about the speed.
            share = min(next, share * 8)
        }
    }

    private func countAllocations(_ entrant: inout Entrant, threads: Int) throws -> Double {
        var share = min(countedOperations, entrant.share)
        if case .operations(let count) = entrant.trial.round { share = count }
        try entrant.trial.prepareRound?()
        // Made before the count starts, because the closure is an allocation too.
        let job = entrant.job(of: share)
        var failure: (any Error)?
        let allocations = AllocationCount.during {
            do { _ = try pool.run(threads: threads, job) } catch { failure = error }
        }
        if let failure { throw failure }
        return Double(allocations) / Double(share * threads)
    }
}

/// A subject in the middle of a case.
private struct Entrant {
    let subject: String
    let trial: Trial

    /// Operations of each thread in a round.
    var share = 1

    /// Operations of each thread so far, over all rounds.
    var position = 0
    var times: [Double] = []
    var operations = 0
    var hits = 0

    init(subject: String, trial: Trial) {
        self.subject = subject
        self.trial = trial
    }

    /// The next `count` operations of each thread.
    mutating func job(of count: Int) -> Worker.Job {
        let operations = position..<(position + count)
        position += count
        return Worker.Job { [work = trial.work] thread in try work(thread, operations) }
    }

    func result(in benchmark: Case, allocations: Double) throws -> CaseResult {
        if case .all = trial.hits, hits != operations {
            throw MeasurementError(
                "\(benchmark.name) of \(subject): \(operations - hits) of \(operations) reads missed what is there"
            )
        }
        let space = try trial.space?()
        var hitRatio: Double?
        if case .measured = trial.hits { hitRatio = Double(hits) / Double(operations) }
        return CaseResult(
            benchmark: benchmark.name,
            subject: subject,
            threads: benchmark.threads,
            nanoseconds: Spread(of: times),
            allocations: allocations,
            hitRatio: hitRatio,
            fileBytes: space?.fileBytes,
            payloadBytes: space?.payloadBytes
        )
    }
}
