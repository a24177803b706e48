internal import LarderMemory
internal import LarderStore

/// How a kind of value is written in a configuration.
struct ConfigurationForm<Value: Sendable>: Sendable {
    let expectation: String
    let parse: @Sendable (ConfigurationNode) -> Value?
    let show: @Sendable (Value) -> ConfigurationNode

    /// The same form with `null` (in the environment: `none`) for no value.
    var optional: ConfigurationForm<Value?> {
        ConfigurationForm<Value?>(
            expectation: "\(expectation), or null for none",
            parse: { node in
                if node == .null || node == .text("none") { return .some(nil) }
                return parse(node).map { .some($0) }
            },
            show: { $0.map(show) ?? .null }
        )
    }
}

extension ConfigurationForm where Value: LosslessStringConvertible {
    /// A choice that has a text form.
    static func choice(_ expectation: String) -> ConfigurationForm {
        ConfigurationForm(
            expectation: expectation,
            parse: { if case .text(let text) = $0 { Value(text) } else { nil } },
            show: { .text($0.description) }
        )
    }
}

extension ConfigurationForm where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    /// One of a few names.
    static var oneOf: ConfigurationForm {
        ConfigurationForm(
            expectation: Value.allCases.map(\.rawValue).joined(separator: ", "),
            parse: { if case .text(let text) = $0 { Value(rawValue: text) } else { nil } },
            show: { .text($0.rawValue) }
        )
    }
}

extension ConfigurationForm<String> {
    static let text = ConfigurationForm(
        expectation: "a text",
        parse: { if case .text(let text) = $0 { text } else { nil } },
        show: { .text($0) }
    )
}

extension ConfigurationForm<Bool> {
    static let flag = ConfigurationForm(
        expectation: "true or false",
        parse: {
            switch $0 {
            case .bool(let value): value
            case .text("true"), .text("1"): true
            case .text("false"), .text("0"): false
            default: nil
            }
        },
        show: { .bool($0) }
    )
}

extension ConfigurationForm<Int> {
    static let integer = ConfigurationForm(
        expectation: "a whole number",
        parse: {
            switch $0 {
            case .integer(let value): value
            case .text(let text): Int(text)
            default: nil
            }
        },
        show: { .integer($0) }
    )

    /// A cost: a number in any unit, or an amount of bytes.
    static let cost = ConfigurationForm(
        expectation: "a whole number or an amount such as \"384MiB\"",
        parse: {
            switch $0 {
            case .integer(let value): value
            case .text(let text): Int(text) ?? ByteCount(text)?.bytes
            default: nil
            }
        },
        show: { .integer($0) }
    )
}

extension ConfigurationForm<Double> {
    static let fraction = ConfigurationForm(
        expectation: "a number such as 0.95",
        parse: {
            switch $0 {
            case .integer(let value): Double(value)
            case .number(let value): value
            case .text(let text): Double(text)
            default: nil
            }
        },
        show: { .number($0) }
    )
}

extension ConfigurationForm<ByteCount> {
    static let bytes = ConfigurationForm(
        expectation: "a number of bytes or an amount such as \"384MiB\"",
        parse: {
            switch $0 {
            case .integer(let value) where value >= 0: ByteCount.bytes(value)
            case .text(let text): ByteCount(text)
            default: nil
            }
        },
        show: { .text($0.description) }
    )
}

extension ConfigurationForm<Duration> {
    static let duration = ConfigurationForm(
        expectation: "a number of seconds or a duration such as \"250ms\", \"30s\", \"5m\", \"2h\" or \"7d\"",
        parse: {
            switch $0 {
            case .integer(let value): .seconds(value)
            case .number(let value): DurationText.parse(seconds: value)
            case .text(let text): DurationText.parse(text)
            default: nil
            }
        },
        show: { .text(DurationText.format($0)) }
    )
}

extension ConfigurationForm<PressureResponse.Action> {
    static let pressureAction = ConfigurationForm(
        expectation: "\"nothing\", \"removeAll\" or a fraction to trim to, such as 0.5",
        parse: {
            switch $0 {
            case .text("nothing"): .nothing
            case .text("removeAll"): .removeAll
            case .text(let text): Double(text).map { .trim(toFraction: $0) }
            case .number(let value): .trim(toFraction: value)
            case .integer(let value): .trim(toFraction: Double(value))
            default: nil
            }
        },
        show: {
            switch $0 {
            case .trim(let fraction): .number(fraction)
            case .removeAll: .text("removeAll")
            default: .text("nothing")
            }
        }
    )
}
