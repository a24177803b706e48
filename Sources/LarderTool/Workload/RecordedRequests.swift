/// A workload in memory, to be served more than once.
struct RecordedRequests: RequestSource {
    let name: String

    private let requests: [TraceRequest]
    private var served = 0

    /// Reads `source` to its end, or as far as the limit.
    init(_ source: any RequestSource, limit: Int = .max) throws(ToolError) {
        var source = source
        var requests: [TraceRequest] = []
        var batch: [TraceRequest] = []
        repeat {
            try source.read(min(ReplayPass.batchSize, limit - requests.count), into: &batch)
            requests += batch
        } while !batch.isEmpty
        self.init(name: source.name, requests)
    }

    init(name: String, _ requests: [TraceRequest]) {
        self.name = name
        self.requests = requests
    }

    /// Whether each request has a size.
    var recordsSizes: Bool { requests.allSatisfy { $0.size != nil } }

    var count: Int { requests.count }

    var fractionDone: Double? { Double(served) / Double(max(1, requests.count)) }

    mutating func read(_ count: Int, into batch: inout [TraceRequest]) throws(ToolError) {
        batch.removeAll(keepingCapacity: true)
        let next = requests[served...].prefix(count)
        batch += next
        served += next.count
    }
}
