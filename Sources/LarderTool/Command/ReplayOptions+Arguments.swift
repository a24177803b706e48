internal import LarderMemory

extension ReplayOptions {
    static let specifications = [
        OptionSpecification(
            "--format",
            "FORMAT",
            help: "auto (default: by the file's ending, then its content), oracle, lirs, i32be, i64be or csv."
        ),
        OptionSpecification(
            "--tier",
            "TIER",
            help: "memory (default) or tiered: a disk tier behind the memory tier."
        ),
        OptionSpecification(
            "--policy",
            "POLICY",
            help: "Which entry leaves memory first: lru (default), fifo, clock, s3fifo, tinylfu,\n"
                + "s3fifo:SMALL,GHOST,THRESHOLD or tinylfu:WINDOW."
        ),
        OptionSpecification(
            "--capacity",
            "AMOUNT",
            help: "What memory holds: 1000 (entries, or bytes with --cost size) or 384MiB.\n"
                + "Default: 10000 entries, or 128MiB with --cost size."
        ),
        OptionSpecification(
            "--cost",
            "RULE",
            help: "unit: each entry costs 1; size: what the trace records.\n"
                + "Default: size if --capacity has a unit, or if --config sets the limits."
        ),
        OptionSpecification("--disk-capacity", "BYTES", help: "The disk tier's budget, such as 4GiB."),
        OptionSpecification(
            "--directory",
            "DIR",
            help: "Where the disk tier lies, kept afterwards.\nDefault: a temporary directory, removed at the end."
        ),
        OptionSpecification(
            "--value-size",
            "BYTES",
            help: "Bytes stored per value; the cost stays the recorded size.\n"
                + "Default: the recorded size up to 1024, or 64 where none is recorded."
        ),
        OptionSpecification("--limit", "REQUESTS", help: "Stop after this many requests."),
        OptionSpecification(
            "--config",
            "FILE.json",
            help: "The cache's configuration; other options override its fields."
        ),
        OptionSpecification("--seed", "NUMBER", help: "Seed of the synthetic workload. Default: 1."),
        OptionSpecification(
            "--json",
            help: "Print one JSON object instead of the table: the numbers, and in 'workload' and 'cache'\n"
                + "what was served, and through what."
        ),
    ]

    /// Reads and checks the options against each other.
    init(_ parsed: ParsedArguments) throws(ToolError) {
        self.init()
        let values = parsed.values
        trace = try Self.trace(parsed.positionals.first, seed: values["--seed"])
        format = try Self.format(values["--format"], for: trace)
        json = parsed.flags.contains("--json")
        valueSize = try values["--value-size"].map { text throws(ToolError) in try Self.valueSize(text) }
        limit = try values["--limit"].map { text throws(ToolError) in try Self.count(text, option: "--limit") }
        cache.policy = try values["--policy"].map { text throws(ToolError) in try Self.policy(text) }
        cache.configurationPath = values["--config"]
        cache.directory = values["--directory"]
        cache.diskCapacity = try values["--disk-capacity"].map { text throws(ToolError) in
            try Amount(text, option: "--disk-capacity").value
        }
        cache.tier = try Self.tier(values)
        (cost, cache.capacity) = try Self.costAndCapacity(values)
    }

    private static func trace(_ argument: String?, seed: String?) throws(ToolError) -> Trace {
        guard let seed else {
            guard let argument else { return .synthetic(seed: defaultSeed) }
            return argument == "-" ? .standardInput : .file(argument)
        }
        guard let number = UInt64(seed) else {
            throw .usage("--seed is '\(seed)'; give a whole number from 0 to \(UInt64.max)")
        }
        guard argument == nil else {
            throw .usage("--seed \(seed) is for the synthetic workload only; leave out --seed or the trace")
        }
        return .synthetic(seed: number)
    }

    private static func format(_ text: String?, for trace: Trace) throws(ToolError) -> TraceFormat? {
        guard let text else { return nil }
        if case .synthetic = trace {
            throw .usage("--format \(text) is given without a trace; name a trace file, or '-' for standard input")
        }
        return text == "auto" ? nil : try choice(text, of: TraceFormat.self, option: "--format", besides: ["auto"])
    }

    private static func tier(_ values: [String: String]) throws(ToolError) -> ReplayTier {
        let diskOption = ["--directory", "--disk-capacity"].first { values[$0] != nil }
        guard let text = values["--tier"] else { return diskOption == nil ? .memory : .tiered }
        let tier = try choice(text, of: ReplayTier.self, option: "--tier")
        if tier == .memory, let diskOption {
            throw .usage("\(diskOption) is given with --tier memory, which has no disk; use --tier tiered")
        }
        return tier
    }

    private static func costAndCapacity(
        _ values: [String: String]
    ) throws(ToolError) -> (CostRule, MemoryCapacity?) {
        let stated = try values["--cost"].map { text throws(ToolError) in
            try choice(text, of: CostRule.self, option: "--cost")
        }
        guard let text = values["--capacity"] else {
            let cost = stated ?? .unit
            // A file's limit on cost is one in bytes: with each entry costing one it would never be reached.
            guard values["--config"] == nil else { return (stated ?? .size, nil) }
            return (cost, cost == .unit ? .entries(defaultEntries) : .bytes(defaultBytes))
        }
        let amount = try Amount(text, option: "--capacity")
        let cost = stated ?? (amount.hasUnit ? .size : .unit)
        if cost == .unit, amount.hasUnit {
            throw .usage("--capacity is \(text), but --cost unit counts entries; give a plain number or --cost size")
        }
        return (cost, cost == .unit ? .entries(amount.value) : .bytes(amount.value))
    }

    private static func policy(_ text: String) throws(ToolError) -> EvictionPolicy {
        let names = ["lru", "fifo", "clock", "s3fifo", "tinylfu"]
        guard let policy = EvictionPolicy(text) else {
            let name = String(text.prefix { $0 != ":" })
            guard !names.contains(name.lowercased()) else {
                throw .usage(
                    "--policy is '\(text)', whose parameters cannot be read; use \(name), or see 'larder help replay'"
                )
            }
            throw .usage("--policy is '\(text)'\(Suggestion.hint(for: name, among: names)); use one of \(list(names))")
        }
        do {
            try policy.validate()
        } catch {
            throw .usage("--policy is '\(text)': \(error.message)")
        }
        return policy
    }

    private static func valueSize(_ text: String) throws(ToolError) -> Int {
        // Zero is a size worth trying (an empty value), though not a capacity.
        if text == "0" { return 0 }
        let size = try Amount(text, option: "--value-size").value
        guard size <= maximumValueSize else {
            throw .usage("--value-size is \(text); values are at most 1GiB: give less")
        }
        return size
    }

    private static func count(_ text: String, option: String) throws(ToolError) -> Int {
        guard let count = Int(text), count > 0 else {
            throw .usage("\(option) is '\(text)', but is a number of requests; give a whole number above zero")
        }
        return count
    }

    private static func choice<Choice: CaseIterable & RawRepresentable<String>>(
        _ text: String,
        of type: Choice.Type,
        option: String,
        besides others: [String] = []
    ) throws(ToolError) -> Choice {
        if let choice = Choice(rawValue: text) { return choice }
        let known = others + type.allCases.map(\.rawValue)
        throw .usage("\(option) is '\(text)'\(Suggestion.hint(for: text, among: known)); use one of \(list(known))")
    }

    private static func list(_ words: [String]) -> String {
        words.joined(separator: ", ")
    }
}
