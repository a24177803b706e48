/// What a cache does at each level of memory pressure.
public struct PressureResponse: Sendable, Hashable {
    /// One answer to pressure.
    @nonexhaustive
    public enum Action: Sendable, Hashable {
        /// Stay as it is.
        ///
        /// The hook still runs.
        case nothing

        /// Remove entries in eviction order until this fraction of the present cost and count is left.
        case trim(toFraction: Double)

        /// Remove everything.
        case removeAll
    }

    /// The answer to `PressureLevel.warning`.
    public var warning: Action

    /// The answer to `PressureLevel.critical`, the level that a signal stands for.
    public var critical: Action

    /// Half at a warning, everything at a critical level.
    public static let `default` = PressureResponse(warning: .trim(toFraction: 0.5), critical: .removeAll)

    /// No answer at any level.
    public static let none = PressureResponse(warning: .nothing, critical: .nothing)

    /// Creates a response.
    ///
    /// - Parameters:
    ///   - warning: The answer to a warning.
    ///   - critical: The answer to a critical level.
    public init(warning: Action, critical: Action) {
        self.warning = warning
        self.critical = critical
    }

    func action(at level: PressureLevel) -> Action {
        switch level {
        case .warning: warning
        case .critical: critical
        }
    }

    static func isFraction(_ fraction: Double) -> Bool { fraction >= 0 && fraction < 1 }

    func validate() throws(MemoryCacheError) {
        for action in [warning, critical] {
            guard case .trim(let fraction) = action, !Self.isFraction(fraction) else { continue }
            throw MemoryCacheError(
                .invalidConfiguration,
                "pressureResponse: trim fraction is \(fraction), which must be from 0 to below 1; use none to stay as is"
            )
        }
    }
}
