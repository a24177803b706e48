internal import Larder
internal import LarderStore

/// `larder verify`, `stat`, `compact`, `get`, `put`, `remove` and `keys`.
///
/// What only looks reads the store's file; what changes something opens the store without evicting, and without setting
/// damage aside: both are for the service to decide. What concerns single records joins the processes that share a store.
struct StoreCommand {
    let request: StoreRequest
    let console: Console

    /// The time that expiry is judged by.
    var now: () -> WallTime = { WallClock.system.now }

    /// Gives the value of `put` where it is not on the command line.
    var standardInput: () throws(ToolError) -> [UInt8] = Self.readStandardInput

    init(request: StoreRequest, console: Console) {
        self.request = request
        self.console = console
    }

    func run() throws {
        switch request.action {
        case .verify: try verify()
        case .stat: try stat()
        case .compact: try compact()
        case .get: try get()
        case .put: try put()
        case .remove: try remove()
        case .keys: try keys()
        }
    }

    // MARK: Looking

    private func verify() throws {
        let result = try Store.verify(at: request.directory)
        var lines = [
            "store        \(request.directory.onOneLine)",
            "pages        \(NumberFormat.grouped(result.pages))",
            "records      \(NumberFormat.grouped(result.records))",
            "findings     \(result.findingCount == 0 ? "none" : NumberFormat.grouped(result.findingCount))",
        ]
        lines += result.findings.map { "  \($0.onOneLine)" }
        if result.findingCount > result.findings.count {
            lines.append("  and \(NumberFormat.grouped(result.findingCount - result.findings.count)) more")
        }
        try console.print(lines.joined(separator: "\n") + "\n")
        guard result.isSound else {
            throw ToolError.failure(
                "the store at '\(request.directory)' is damaged: \(result.findingCount) findings; damaged records are misses, "
                    + "and a damaged file is set aside when a service opens it: remove the store to be rid of both"
            )
        }
    }

    private func stat() throws {
        let report = try StoreReport(StoreFile(path: request.directory, beside: .sharers), now: now())
        try console.print(request.json ? report.json : report.text)
    }

    private func get() throws {
        let content = try StoreFile(path: request.directory, beside: .sharers).content()
        let table = try self.table(in: content.tables)
        let key = try KeyText.bytes(request.key ?? "", kind: table.keyKind, isHex: request.isHex)
        guard let record = try content.record(forKey: key, in: table), isLive(record) else { throw missing(table) }
        if request.isHex {
            try console.print(KeyText.hexText(record.payload) + "\n")
        } else {
            try console.print(bytes: record.payload)
        }
    }

    private func keys() throws {
        struct Enough: Error {}
        let content = try StoreFile(path: request.directory, beside: .sharers).content()
        let table = try self.table(in: content.tables)
        var left = request.limit ?? .max
        var lines = ""
        var damaged = 0
        do {
            damaged = try content.forEachRecord(in: table) { record in
                guard isLive(record) else { return }
                guard left > 0 else { throw Enough() }
                left -= 1
                lines += KeyText.text(record.key, kind: table.keyKind, isHex: request.isHex) + "\n"
                guard lines.utf8.count >= 64 << 10 else { return }
                try console.print(lines)
                lines = ""
            }
        } catch is Enough {}
        try console.print(lines)
        guard damaged == 0 else {
            throw ToolError.failure(
                "\(damaged) records of the store at '\(request.directory)' are damaged and left out; see 'larder verify'"
            )
        }
    }

    // MARK: Changing

    private func compact() throws {
        let alone = StoreFile.Company.nobody(because: "each of them would go on in the old file")
        let before = try StoreFile(path: request.directory, beside: alone).fileBytes
        let store = try Store.openForMaintenance(at: request.directory, beside: alone)
        try closing(store) { try store.compact() }
        let after = try StoreFile(path: request.directory).fileBytes
        try console.print(
            """
            before       \(NumberFormat.bytes(before.allocated)) on the disk, file of \(NumberFormat.bytes(before.size))
            after        \(NumberFormat.bytes(after.allocated)) on the disk, file of \(NumberFormat.bytes(after.size))

            """
        )
    }

    private func put() throws {
        let writing = request.writing
        var tables: [StoreContent.Table] = []
        var codec = writing.codec
        var target: (name: String, kind: String)?
        do {
            let content = try StoreFile(path: request.directory, beside: .sharers).content()
            tables = content.tables
            if let table = tables.first(where: { $0.name == request.table }) ?? onlyTable(tables) {
                target = (table.name, table.keyKind)
                codec = try codec ?? usualCodec(of: table, content)
            }
        } catch let error as StoreError where error.code == .notFound {
            guard writing.creates else {
                throw ToolError.failure(
                    "There is no store at \(request.directory): give another directory, or add --create"
                )
            }
        }
        if target == nil, writing.creates, request.table != nil || tables.isEmpty {
            target = (request.table ?? "cache", request.isHex ? "bytes" : "string")
        }
        let (name, kind) = try target ?? { () throws(ToolError) in throw noTable(tables) }()
        let key = try KeyText.bytes(request.key ?? "", kind: kind, isHex: request.isHex)
        let (payload, id) = try value(codec ?? (request.isHex ? .bytes : .string))
        let store = try Store.openForMaintenance(at: request.directory, beside: .sharers, creates: writing.creates)
        try closing(store) {
            try store.setBytes(
                payload,
                codec: id.id,
                forKey: key,
                in: name,
                keyKind: kind,
                expiration: writing.expiration
            )
        }
    }

    private func remove() throws {
        let table = try self.table(in: StoreFile(path: request.directory, beside: .sharers).content().tables)
        let key = try KeyText.bytes(request.key ?? "", kind: table.keyKind, isHex: request.isHex)
        let store = try Store.openForMaintenance(at: request.directory, beside: .sharers)
        var isThere = false
        try closing(store) { isThere = try store.removeBytes(forKey: key, in: table.name, keyKind: table.keyKind) }
        guard isThere else { throw missing(table) }
    }

    /// Runs `body` and closes the store, however `body` ends; closing commits.
    private func closing(_ store: Store, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch {
            try? store.close()
            throw error
        }
        try store.close()
    }

    private func value(_ codec: CodecName) throws(ToolError) -> ([UInt8], CodecName) {
        guard let text = request.writing.value else { return (try standardInput(), codec) }
        if request.isHex { return (try KeyText.hex(text, name: "the value"), codec) }
        guard codec.takesText else {
            throw .usage(
                "values of codec \(codec) are not text; give the value in hexadecimal with --hex, or '-' and its bytes"
            )
        }
        return (Array(text.utf8), codec)
    }

    /// The codec of the key's present value, or of the oldest one of its table.
    private func usualCodec(of table: StoreContent.Table, _ content: StoreContent) throws -> CodecName? {
        struct Found: Error {}
        let key = try KeyText.bytes(request.key ?? "", kind: table.keyKind, isHex: request.isHex)
        if let record = try content.record(forKey: key, in: table) { return CodecName(id: record.codec) }
        var codec: CodecName?
        do {
            _ = try content.forEachRecord(in: table) { record in
                codec = CodecName(id: record.codec)
                throw Found()
            }
        } catch is Found {}
        return codec
    }
}

// MARK: Tables and misses

extension StoreCommand {
    private func table(in tables: [StoreContent.Table]) throws(ToolError) -> StoreContent.Table {
        guard let table = tables.first(where: { $0.name == request.table }) ?? onlyTable(tables) else {
            throw noTable(tables)
        }
        return table
    }

    private func onlyTable(_ tables: [StoreContent.Table]) -> StoreContent.Table? {
        request.table == nil && tables.count == 1 ? tables[0] : nil
    }

    private func noTable(_ tables: [StoreContent.Table]) -> ToolError {
        let names = tables.prefix(20).map { "'\($0.name)'" }.joined(separator: ", ")
        let store = "the store at '\(request.directory)'"
        guard let name = request.table else {
            return .usage(
                "\(store) has \(tables.count) tables\(names.isEmpty ? "" : ": \(names)"); name one with --table"
            )
        }
        let hint = Suggestion.hint(for: name, among: tables.map(\.name))
        return .failure("\(store) has no table '\(name)'\(hint); it has \(names.isEmpty ? "none" : names)")
    }

    private func missing(_ table: StoreContent.Table) -> ToolError {
        .failure(
            "there is no record under key '\(request.key ?? "")' in table '\(table.name)' of the store at "
                + "'\(request.directory)'; 'larder keys' lists those there are"
        )
    }

    private func isLive(_ record: StoredBytes) -> Bool {
        record.expires.map { $0 > now() } ?? true
    }

    private static func readStandardInput() throws(ToolError) -> [UInt8] {
        let source = FileByteSource.standardInput(as: "the value on standard input")
        var bytes: [UInt8] = []
        while true {
            let chunk = try source.nextChunk()
            guard !chunk.isEmpty else { return bytes }
            bytes += chunk
        }
    }
}
