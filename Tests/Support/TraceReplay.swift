package import LarderMemory

/// What came of a trace that was replayed: each request looks its key up and stores it when it is not there.
package struct TraceReplay: Sendable {
    package private(set) var requests = 0
    package private(set) var misses = 0
    package private(set) var missBytes = 0

    /// The hits in percent.
    package var hitRatio: Double { 100 - 100 * Double(misses) / Double(requests) }

    /// Replays a trace through a cache, whose limit says whether sizes count.
    package init(of trace: AccessTrace, through cache: MemoryCache<UInt64, Int>) {
        for request in trace.requests {
            requests += 1
            guard cache.value(forKey: request.key) == nil else { continue }
            misses += 1
            missBytes += request.size
            cache.setValue(request.size, forKey: request.key, cost: request.size)
        }
    }

    /// Replays a trace through anything: `lookup` says whether the key was there and leaves it there.
    package init(of trace: AccessTrace, lookup: (AccessTrace.Request) -> Bool) {
        for request in trace.requests {
            requests += 1
            guard !lookup(request) else { continue }
            misses += 1
            missBytes += request.size
        }
    }
}
