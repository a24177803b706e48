/// One access of a trace.
struct TraceRequest: Equatable {
    let key: Int64

    /// The object's size in bytes, where the trace records one.
    let size: Int?
}

/// Where the requests of a replay come from.
protocol RequestSource {
    /// What the report calls it.
    var name: String { get }

    /// How much of it has been handed out, from 0 to 1; `nil` when the end is unknown.
    var fractionDone: Double? { get }

    /// Replaces the batch's content by the next requests, `count` at most; none means the end.
    ///
    /// In batches, because one existential call a request would show in the throughput.
    mutating func read(_ count: Int, into batch: inout [TraceRequest]) throws(ToolError)
}
