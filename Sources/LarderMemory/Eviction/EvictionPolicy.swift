/// Which entry leaves first when a limit on cost or count is reached.
///
/// The text form (`lru`, `fifo`, `clock`, `s3fifo`, `s3fifo:0.1,0.9,2`, `tinylfu`, `tinylfu:0.2`) is used in
/// configuration files and on the command line.
@nonexhaustive
public enum EvictionPolicy: Sendable, Hashable {
    /// The least recently used entry, exactly.
    case lru

    /// The entry that has been in the cache longest, however often it was read.
    case fifo

    /// First in, first out with a second chance: an entry that was read since it was last considered stays once more.
    case clock

    /// Three queues: a small one for newcomers, a main one, and a memory of keys that left (Yang et al., SOSP 2023).
    ///
    /// - Parameters:
    ///   - small: The share of the capacity for newcomers, above 0 and below 1.
    ///   - ghost: The remembered keys' worth as a share of the capacity, 0 or more.
    ///   - threshold: How many hits promote a newcomer to the main queue, 1 to 3.
    case s3FIFO(small: Double = 0.1, ghost: Double = 1.0, threshold: Int = 1)

    /// A window of newcomers before a main area that admits by estimated frequency (Einziger et al., 2017).
    ///
    /// - Parameter window: The share of the capacity for the window, above 0 and below 1; `nil` starts at 20 % and
    ///   adapts to the workload.
    case tinyLFU(window: Double? = nil)

    /// Checks the parameters.
    ///
    /// - Throws: `MemoryCacheError` with code `.invalidConfiguration`.
    public func validate() throws(MemoryCacheError) {
        switch self {
        case .lru, .fifo, .clock: return
        case .s3FIFO(let small, let ghost, let threshold):
            guard Self.isShare(small) else { throw Self.refusal("small", small, "above 0 and below 1") }
            guard ghost >= 0, ghost.isFinite else { throw Self.refusal("ghost", ghost, "0 or more") }
            guard (1...3).contains(threshold) else { throw Self.refusal("threshold", threshold, "from 1 to 3") }
        case .tinyLFU(let window):
            guard let window else { return }
            guard Self.isShare(window) else { throw Self.refusal("window", window, "above 0 and below 1") }
        }
    }

    static func isShare(_ share: Double) -> Bool { share > 0 && share < 1 }

    private static func refusal(_ field: String, _ value: some Any, _ range: String) -> MemoryCacheError {
        MemoryCacheError(.invalidConfiguration, "policy: \(field) is \(value), which must be \(range)")
    }
}

extension EvictionPolicy: LosslessStringConvertible {
    /// Reads the text form; `nil` when the text names no policy or has parameters that the policy does not take.
    ///
    /// The parameters' ranges are not checked here but by `validate()`.
    public init?(_ description: String) {
        let parts = description.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let parameters = parts.count == 2 ? parts[1].split(separator: ",", omittingEmptySubsequences: false) : []
        switch (parts[0].lowercased(), parameters.count) {
        case ("lru", 0) where parts.count == 1: self = .lru
        case ("fifo", 0) where parts.count == 1: self = .fifo
        case ("clock", 0) where parts.count == 1: self = .clock
        case ("s3fifo", 0) where parts.count == 1: self = .s3FIFO()
        case ("s3fifo", 3):
            guard let small = Double(parameters[0]), let ghost = Double(parameters[1]),
                let threshold = Int(parameters[2])
            else { return nil }
            self = .s3FIFO(small: small, ghost: ghost, threshold: threshold)
        case ("tinylfu", 0) where parts.count == 1: self = .tinyLFU()
        case ("tinylfu", 1):
            guard let window = Double(parameters[0]) else { return nil }
            self = .tinyLFU(window: window)
        default: return nil
        }
    }

    /// The text form.
    public var description: String {
        switch self {
        case .lru: "lru"
        case .fifo: "fifo"
        case .clock: "clock"
        case .s3FIFO(let small, let ghost, let threshold): "s3fifo:\(small),\(ghost),\(threshold)"
        case .tinyLFU(nil): "tinylfu"
        case .tinyLFU(let window?): "tinylfu:\(window)"
        }
    }
}
