/// One option that a subcommand takes.
struct OptionSpecification {
    /// The name with its dashes.
    let name: String

    /// What the value is called in the help; `nil` for an option without a value.
    let value: String?

    /// One or more lines of help.
    let help: String

    init(_ name: String, _ value: String? = nil, help: String) {
        self.name = name
        self.value = value
        self.help = help
    }
}

/// A command line, taken apart.
struct ParsedArguments: Equatable {
    var positionals: [String] = []

    /// Values by option name; of an option given twice the last counts, so that a command line can be appended to.
    var values: [String: String] = [:]

    var flags: Set<String> = []
}

/// Takes `--option value`, `--option=value`, flags, positionals and `--` apart.
struct ArgumentParser {
    let command: String
    let options: [OptionSpecification]
    let maximumPositionals: Int

    /// Whether positionals are keys and values, which may be empty and may begin with a dash.
    var takesKeys = false

    func parse(_ arguments: some Sequence<String>) throws(ToolError) -> ParsedArguments {
        var parsed = ParsedArguments()
        var rest = Array(arguments)[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                for positional in rest { try add(positional, to: &parsed) }
                break
            }
            // A lone dash is a positional: it stands for standard input.
            guard argument.hasPrefix("-"), argument != "-" else {
                try add(argument, to: &parsed)
                continue
            }
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let option = try specification(parts[0] == "-h" ? HelpText.option.name : String(parts[0]))
            guard let placeholder = option.value else {
                guard parts.count == 1 else {
                    throw .usage("option \(option.name) takes no value, but '\(parts[1])' was given; leave it out")
                }
                parsed.flags.insert(option.name)
                continue
            }
            let value: String
            if parts.count == 2 {
                value = String(parts[1])
            } else if let next = rest.first, !next.hasPrefix("--") {
                value = next
                rest.removeFirst()
            } else {
                throw .usage("option \(option.name) needs a value: \(option.name) \(placeholder)")
            }
            guard !value.isEmpty else {
                throw .usage("option \(option.name) has an empty value; give \(option.name) \(placeholder)")
            }
            parsed.values[option.name] = value
        }
        return parsed
    }

    private func add(_ positional: String, to parsed: inout ParsedArguments) throws(ToolError) {
        guard takesKeys || !positional.isEmpty else {
            throw .usage("an argument of '\(command)' is empty; leave it out or quote what was meant")
        }
        guard parsed.positionals.count < maximumPositionals else {
            throw .usage("unexpected argument '\(positional)'; see 'larder help \(command)'")
        }
        parsed.positionals.append(positional)
    }

    private func specification(_ name: String) throws(ToolError) -> OptionSpecification {
        if let option = options.first(where: { $0.name == name }) { return option }
        let hint = Suggestion.hint(for: name, among: options.map(\.name))
        // Where keys and values are given, what begins with a dash may be one.
        let remedy = takesKeys ? "put '--' before arguments that begin with '-', or " : ""
        throw .usage("unknown option '\(name)'\(hint); \(remedy)see 'larder help \(command)'")
    }
}
