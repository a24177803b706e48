/// What `--help` and `help` print.
enum HelpText {
    static let version = "0.2.0"

    static let option = OptionSpecification("--help", help: "Show this text.")

    enum Topic {
        case overview
        case replay
        case demo
        case store(StoreRequest.Action)

        init?(_ name: String) {
            switch name {
            case "help": self = .overview
            case "replay": self = .replay
            case "demo": self = .demo
            default:
                guard let action = StoreRequest.Action(rawValue: name) else { return nil }
                self = .store(action)
            }
        }
    }

    static func text(for topic: Topic) -> String {
        switch topic {
        case .overview: overview
        case .replay: replay
        case .demo: demo
        case .store(let action): StoreHelp.text(action)
        }
    }

    private static let overview = """
        larder: a tiered cache, on the command line

        Usage: larder COMMAND [ARGUMENT ...]

        The cache:
          replay    Serve an access trace through the cache and report hits, misses and latencies.
          demo      Show both tiers at work: fill, reopen, give memory back on a signal.

        A store on the disk:
        \(stores)

        Help:
          help      Show the help of a command: larder help replay

        Options:
          --help, -h    Show this text.
          --version     Show the version.

        Exit status: 0 done, 1 failed, 2 the command line is wrong, 130 interrupted, 141 the output's reader left.

        """

    private static let stores = StoreRequest.Action.allCases
        .map { "  \(NumberFormat.padded($0.rawValue, to: 10))\(StoreHelp.summary($0))" }
        .joined(separator: "\n")

    private static let replay = """
        Usage: larder replay [TRACE] [OPTION ...]

        Pushes each request of TRACE through the real cache: the key is looked up and, on a miss, stored with a value
        derived from the key, so that every hit is checked. '-' reads standard input. Without TRACE a seeded synthetic
        workload (Zipf with scans) is served.

        Options:
        \(list(ReplayOptions.specifications + [option]))

        Formats:
          csv       KEY or KEY,SIZE a line, quoted as spreadsheets do. A first line that names the columns is left out:
                    two words, or 'key' alone.
          lirs      One whole number a line; lines that begin with '*' are left out.
          i32be     Keys of 32 bits, most significant byte first, without sizes.
          i64be     Keys of 64 bits, most significant byte first, without sizes.
          oracle    Records of libCacheSim: 24 bytes, with sizes.

        Ctrl-C stops the replay and reports what was served until then (exit status 130).

        """

    private static let demo = """
        Usage: larder demo [TRACE]

        Serves TRACE, or the synthetic workload, through a small memory tier and a disk tier that holds everything;
        closes and reopens the cache and serves it again from disk; then sends itself SIGUSR1 and shows that the memory
        tier is emptied, the disk tier whole, and that hits are promoted again. The store is temporary. TRACE must record
        sizes; of one longer than a million requests the beginning is served.

        Options:
        \(list([option]))

        """

    static func list(_ options: [OptionSpecification]) -> String {
        let heads = options.map { ([$0.name] + [$0.value].compactMap(\.self)).joined(separator: " ") }
        let width = (heads.map(\.count).max() ?? 0) + 4
        return zip(heads, options).map { head, option in
            let lines = option.help.split(separator: "\n")
            let indent = "\n" + String(repeating: " ", count: width + 2)
            return "  " + head + String(repeating: " ", count: width - head.count) + lines.joined(separator: indent)
        }.joined(separator: "\n")
    }
}
