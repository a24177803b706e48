/// What was served: the trace or synthetic workload, and how its requests were turned into writes.
struct ReplayWorkload {
    /// One line for people.
    let name: String

    /// The trace's path as it was given, `-` for standard input; `nil` for the synthetic workload.
    var trace: String?

    /// The trace's format; `nil` for the synthetic workload.
    var format: TraceFormat?

    /// The synthetic workload's seed; `nil` for a trace.
    var seed: UInt64?

    /// The most requests to serve; `nil` for the whole trace.
    var limit: Int?

    var cost = CostRule.unit

    /// Bytes stored per value; `nil` where the recorded sizes decide.
    var valueSize: Int?
}

extension ReplayWorkload {
    /// What the options ask for, served from `source`.
    init(_ options: ReplayOptions, source: any RequestSource) {
        name = source.name
        switch options.trace {
        case .file(let path): trace = path
        case .standardInput: trace = "-"
        case .synthetic(let seed): self.seed = seed
        }
        // Found out by the reader where the options leave it open.
        format = (source as? TraceReader)?.format
        limit = options.limit ?? (source as? SyntheticWorkload)?.requests
        cost = options.cost
        valueSize = options.valueSize
    }
}
