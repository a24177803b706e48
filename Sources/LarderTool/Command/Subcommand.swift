/// What the command line asks for.
enum Subcommand {
    case help(HelpText.Topic)
    case version
    case replay(ReplayOptions)
    case demo(trace: String?)
    case store(StoreRequest)

    /// The commands that end well when they are interrupted: they report what was done until then.
    static let interruptible: Set<String> = ["replay", "demo"]

    static let names = ["replay", "demo"] + StoreRequest.Action.allCases.map(\.rawValue) + ["help"]

    /// Reads a command line without the program's name.
    init(arguments: [String]) throws(ToolError) {
        guard let first = arguments.first else {
            throw .usage("no command given; use one of \(Self.names.joined(separator: ", ")), or 'larder --help'")
        }
        let rest = arguments.dropFirst()
        switch first {
        case "--help", "-h": self = .help(.overview)
        case "--version": self = .version
        case "help": self = .help(try Self.topic(rest))
        case "replay":
            let parsed = try ArgumentParser(
                command: first,
                options: ReplayOptions.specifications + [HelpText.option],
                maximumPositionals: 1
            ).parse(rest)
            self =
                parsed.flags.contains(HelpText.option.name)
                ? .help(.replay) : .replay(try ReplayOptions(parsed))
        case "demo":
            let parsed = try ArgumentParser(command: first, options: [HelpText.option], maximumPositionals: 1)
                .parse(rest)
            self =
                parsed.flags.contains(HelpText.option.name)
                ? .help(.demo) : .demo(trace: parsed.positionals.first)
        case _ where StoreRequest.Action(rawValue: first) != nil:
            self = try Self.store(first, rest)
        default:
            let kind = first.hasPrefix("-") ? "option" : "command"
            let hint = Suggestion.hint(for: first, among: Self.names + ["--help", "--version"])
            throw .usage("unknown \(kind) '\(first)'\(hint); see 'larder --help'")
        }
    }

    private static func store(_ name: String, _ rest: some Sequence<String>) throws(ToolError) -> Subcommand {
        guard let action = StoreRequest.Action(rawValue: name) else { return .help(.overview) }
        let parsed = try ArgumentParser(
            command: name,
            options: action.options + [HelpText.option],
            maximumPositionals: action.positionals.count,
            takesKeys: true
        ).parse(rest)
        guard !parsed.flags.contains(HelpText.option.name) else { return .help(.store(action)) }
        return .store(try StoreRequest(action, parsed))
    }

    private static func topic(_ rest: some Collection<String>) throws(ToolError) -> HelpText.Topic {
        guard let name = rest.first else { return .overview }
        guard rest.count == 1 else {
            throw .usage("'larder help' takes one command, but \(rest.count) were given; name one")
        }
        guard let topic = HelpText.Topic(name) else {
            let hint = Suggestion.hint(for: name, among: names)
            throw .usage("no help on '\(name)'\(hint); see 'larder --help'")
        }
        return topic
    }
}
