extension StoreRequest {
    /// Reads and checks the arguments of one command.
    init(_ action: Action, _ parsed: ParsedArguments) throws(ToolError) {
        let (given, wanted) = (parsed.positionals, action.positionals)
        guard given.count == wanted.count else {
            let missing = wanted.dropFirst(given.count)
            let verb = missing.count == 1 ? "is" : "are"
            throw .usage(
                "\(missing.joined(separator: " and ")) \(verb) missing; "
                    + "give 'larder \(action.rawValue) \(wanted.joined(separator: " "))'"
            )
        }
        guard !given[0].isEmpty else { throw .usage("DIR is empty; give the directory of a store") }
        self.action = action
        directory = given[0]
        if given.count > 1 { key = given[1] }
        if given.count > 2 { writing.value = given[2] == "-" ? nil : given[2] }
        table = parsed.values["--table"]
        isHex = parsed.flags.contains("--hex")
        json = parsed.flags.contains("--json")
        writing.creates = parsed.flags.contains("--create")
        limit = try parsed.values["--limit"].map { text throws(ToolError) in
            guard let count = Int(text), count > 0 else {
                throw .usage("--limit is '\(text)'; give a whole number above zero")
            }
            return count
        }
        writing.codec = try parsed.values["--codec"].map { text throws(ToolError) in
            guard let codec = CodecName(text) else {
                throw .usage("--codec is '\(text)'; give string, bytes, json, plist or a number up to \(UInt16.max)")
            }
            return codec
        }
        writing.expiration = try parsed.values["--expire"].map { text throws(ToolError) in
            guard let seconds = Double(text), seconds > 0, seconds < 1e10 else {
                throw .usage("--expire is '\(text)'; give a number of seconds above zero")
            }
            return .seconds(seconds)
        }
    }
}
