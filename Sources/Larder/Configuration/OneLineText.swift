extension StringProtocol {
    /// The text with control characters spelled out, so that a hostile name or value cannot break the line of a message or
    /// drive the terminal.
    package var onOneLine: String {
        var result = ""
        for scalar in unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: result += scalar.escaped(asASCII: true)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
