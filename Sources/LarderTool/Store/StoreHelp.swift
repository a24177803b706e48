/// The help of the store's commands.
enum StoreHelp {
    static func text(_ action: StoreRequest.Action) -> String {
        let usage = "larder \(action.rawValue) \(action.positionals.joined(separator: " "))"
        return """
            Usage: \(usage)\(action.options.isEmpty ? "" : " [OPTION ...]")

            \(explanation(action))
            \(manners(action))
            \(rights)\(action.positionals.count > 1 ? dashes : "")

            Options:
            \(HelpText.list(action.options + [HelpText.option]))

            """
    }

    /// What becomes of a store that a process has open.
    private static func manners(_ action: StoreRequest.Action) -> String {
        switch action {
        case .verify, .compact:
            """
            A store that a process has open is left alone: close it there first.
            """
        case .stat, .get, .keys:
            """
            A store that processes share is read as it is at its newest commit; what they replace meanwhile goes on taking
            space. One that a process has open alone is left alone: close it there first.
            """
        case .put, .remove:
            """
            A store that processes share is written to beside them, and they see it. One that a process has open alone is left
            alone: close it there first.
            """
        }
    }

    private static let rights = "The right to write to DIR is needed in any case, to keep others out meanwhile."
    private static let dashes = "\nPut '--' before a KEY or VALUE that begins with '-'."

    /// One line for the overview.
    static func summary(_ action: StoreRequest.Action) -> String {
        switch action {
        case .verify: "Check a store without opening it."
        case .stat: "Show what a store holds: entries, bytes, tables, sizes and ages."
        case .compact: "Move a store to a file without free pages."
        case .get: "Print a value."
        case .put: "Store a value."
        case .remove: "Remove a value."
        case .keys: "List keys."
        }
    }

    private static func explanation(_ action: StoreRequest.Action) -> String {
        switch action {
        case .verify:
            """
            Checks the structure of the data file, every record's checksums, and that records, index, expiry order and
            counters agree. Changes nothing, and reads only: damage cannot end the tool.
            Exit status 0: nothing is wrong; 1: something is, or the store could not be read.
            """
        case .stat:
            """
            Shows the entries and bytes of the store in DIR and of each table, and how large and how old records are.
            Changes nothing.
            """
        case .compact:
            """
            Writes the data of the store in DIR to a new file, full pages only, and puts it in the place of the old one.
            Needs room on the disk for the copy. Interrupted, it leaves the old file in its place, and the copy to the next
            opening, which removes it.
            """
        case .get:
            """
            Prints the bytes of the value stored under KEY in the store in DIR as they are, without a line end.
            Changes nothing, and does not count as an access.
            """
        case .put:
            """
            Stores VALUE, or what standard input holds for '-', under KEY in the store in DIR. A service reads it if the
            codec is the one it uses.
            """
        case .remove:
            """
            Removes what is stored under KEY in the store in DIR; that there is nothing is status 1.
            """
        case .keys:
            """
            Prints the keys of a table of the store in DIR, one a line, the oldest record first. Expired records are left
            out, control characters are spelled out, and keys that are no text are in hexadecimal after '0x'.
            Changes nothing.
            """
        }
    }
}
