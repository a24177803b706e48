/// What happened in one pass.
struct ReplayTally {
    var memoryHits = 0
    var diskHits = 0
    var misses = 0

    /// The sizes of the requests that missed: as recorded, or of the values stored where the trace records none.
    var missBytes = 0

    /// Hits whose value was not the one stored.
    var wrongValues = 0
    var firstWrongKey: Int64?

    var wasInterrupted = false

    /// From the first request to the moment when all was settled.
    var nanoseconds: UInt64 = 0

    var memoryHitLatency = LatencyHistogram()
    var diskHitLatency = LatencyHistogram()
    var missLatency = LatencyHistogram()

    /// Storing the value after a miss; the lookup that missed is not in it.
    var storeLatency = LatencyHistogram()

    var hits: Int { memoryHits + diskHits }
    var requests: Int { hits + misses }
    var seconds: Double { Double(nanoseconds) / 1e9 }

    /// From 0 to 1; 0 when nothing was asked.
    var hitRatio: Double { requests == 0 ? 0 : Double(hits) / Double(requests) }

    /// 0 when no time passed.
    var operationsPerSecond: Double { nanoseconds == 0 ? 0 : Double(requests) / seconds }
}
