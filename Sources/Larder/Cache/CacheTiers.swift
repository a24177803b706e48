/// The tiers that a call is about.
public struct CacheTiers: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: UInt8

    /// Takes the bits as they are.
    ///
    /// - Parameter rawValue: The bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The memory tier.
    public static let memory = CacheTiers(rawValue: 1)

    /// The disk tier.
    public static let disk = CacheTiers(rawValue: 2)

    /// Both tiers.
    public static let all: CacheTiers = [.memory, .disk]
}

extension CacheTiers: CustomStringConvertible {
    /// The names of the tiers, as in `disk` or `memory, disk`.
    public var description: String {
        let names = [(CacheTiers.memory, "memory"), (.disk, "disk")].filter { contains($0.0) }.map(\.1)
        return names.isEmpty ? "no tier" : names.joined(separator: ", ")
    }
}
