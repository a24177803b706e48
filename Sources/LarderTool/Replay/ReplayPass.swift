internal import Glibc

/// One pass of a workload through a cache: look each key up, store it on a miss, check it on a hit, time both.
struct ReplayPass {
    /// How many requests are taken at once; progress and interruption are looked at in between.
    static let batchSize = 1024

    var source: any RequestSource
    let cost: CostRule
    let length: ReplayValue.Length

    /// The most requests to serve; `nil` serves all.
    let limit: Int?

    /// Nanoseconds of a clock that never goes back.
    var clock: () -> UInt64 = ReplayPass.monotonicNanoseconds

    /// Whether to stop early.
    var isInterrupted: () -> Bool = { Interruption.signal != nil }

    /// Told of each batch: the tally so far and the fraction that is done, where the end is known.
    var onProgress: (ReplayTally, Double?) -> Void = { _, _ in }

    init(_ source: any RequestSource, cost: CostRule, length: ReplayValue.Length, limit: Int? = nil) {
        self.source = source
        self.cost = cost
        self.length = length
        self.limit = limit
    }

    /// Serves the requests and settles the cache.
    mutating func run(through subject: some ReplaySubject) throws -> ReplayTally {
        var tally = ReplayTally()
        var batch: [TraceRequest] = []
        batch.reserveCapacity(Self.batchSize)
        let start = clock()
        while true {
            let room = limit.map { min(Self.batchSize, $0 - tally.requests) } ?? Self.batchSize
            guard room > 0 else { break }
            try source.read(room, into: &batch)
            for request in batch { try serve(request, subject, &tally) }
            tally.nanoseconds = clock() &- start
            tally.wasInterrupted = isInterrupted()
            if batch.isEmpty || tally.wasInterrupted { break }
            onProgress(tally, fractionDone(after: tally.requests))
        }
        try subject.settle()
        tally.nanoseconds = clock() &- start
        return tally
    }

    private func serve(
        _ request: TraceRequest,
        _ subject: some ReplaySubject,
        _ tally: inout ReplayTally
    ) throws(ToolError) {
        let asked = clock()
        let hit = subject.lookup(request.key)
        let answered = clock()
        guard let hit else {
            tally.misses += 1
            tally.missLatency.record(answered &- asked)
            return try store(request, subject, &tally)
        }
        switch hit.tier {
        case .memory:
            tally.memoryHits += 1
            tally.memoryHitLatency.record(answered &- asked)
        case .disk:
            tally.diskHits += 1
            tally.diskHitLatency.record(answered &- asked)
        }
        guard !ReplayValue.isRight(hit.value, forKey: request.key) else { return }
        tally.wrongValues += 1
        tally.firstWrongKey = tally.firstWrongKey ?? request.key
    }

    private func store(
        _ request: TraceRequest,
        _ subject: some ReplaySubject,
        _ tally: inout ReplayTally
    ) throws(ToolError) {
        let cost: Int
        switch (self.cost, request.size) {
        case (.unit, _): cost = 1
        case (.size, let size?): cost = size
        case (.size, nil):
            throw .failure(
                "--cost size needs sizes, but '\(source.name)' records none for request \(tally.requests); use --cost unit"
            )
        }
        let value = ReplayValue.bytes(forKey: request.key, count: length.bytes(for: request))
        let (bytes, overflow) = tally.missBytes.addingReportingOverflow(request.size ?? value.count)
        tally.missBytes = overflow ? .max : bytes
        let started = clock()
        subject.store(value, forKey: request.key, cost: cost)
        tally.storeLatency.record(clock() &- started)
    }

    private func fractionDone(after requests: Int) -> Double? {
        let ofLimit = limit.map { Double(requests) / Double($0) }
        return [source.fractionDone, ofLimit].compactMap(\.self).max()
    }

    private static func monotonicNanoseconds() -> UInt64 {
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
    }
}
