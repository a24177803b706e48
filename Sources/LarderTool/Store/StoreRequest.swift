/// What the command line asks of a store.
struct StoreRequest: Equatable {
    enum Action: String, CaseIterable {
        case verify
        case stat
        case compact
        case get
        case put
        case remove
        case keys
    }

    /// The life of a value that is put, and how it is to be read.
    struct Writing: Equatable {
        /// `nil` for standard input.
        var value: String?
        var codec: CodecName?
        var expiration: Duration?
        var creates = false
    }

    let action: Action
    let directory: String
    var key: String?
    var table: String?
    var isHex = false
    var json = false
    var limit: Int?
    var writing = Writing()
}

extension StoreRequest.Action {
    /// The arguments after the command, in order.
    var positionals: [String] {
        switch self {
        case .verify, .stat, .compact, .keys: ["DIR"]
        case .get, .remove: ["DIR", "KEY"]
        case .put: ["DIR", "KEY", "VALUE"]
        }
    }

    var options: [OptionSpecification] {
        let table = OptionSpecification(
            "--table",
            "NAME",
            help: "Which table. Default: the only one there is."
        )
        return switch self {
        case .verify, .compact: []
        case .stat: [OptionSpecification("--json", help: "Print one JSON object instead of the report.")]
        case .get:
            [
                table,
                OptionSpecification(
                    "--hex",
                    help: "KEY is in hexadecimal, and the value is printed so, with a line end."
                ),
            ]
        case .remove: [table, OptionSpecification("--hex", help: "KEY is in hexadecimal.")]
        case .keys:
            [
                table,
                OptionSpecification("--hex", help: "Print keys in hexadecimal."),
                OptionSpecification("--limit", "NUMBER", help: "Stop after this many keys."),
            ]
        case .put:
            [
                table,
                OptionSpecification("--hex", help: "KEY and VALUE are in hexadecimal."),
                OptionSpecification(
                    "--codec",
                    "NAME",
                    help: "How the value is to be read: string, bytes, json, plist, or a codec's number.\n"
                        + "Default: as the key's present value, or any other of the table."
                ),
                OptionSpecification("--expire", "SECONDS", help: "How long the value lives. Default: for ever."),
                OptionSpecification("--create", help: "Make the store, or the table, if it is not there."),
            ]
        }
    }
}
