/// How badly the process needs memory back.
public enum PressureLevel: Int, Sendable, Hashable, Comparable, CaseIterable {
    /// Memory is getting short.
    case warning

    /// Memory is about to run out.
    case critical

    /// Orders by urgency.
    public static func < (left: PressureLevel, right: PressureLevel) -> Bool {
        left.rawValue < right.rawValue
    }
}
