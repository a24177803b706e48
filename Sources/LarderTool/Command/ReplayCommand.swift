/// `larder replay`.
struct ReplayCommand {
    let options: ReplayOptions
    let console: Console

    /// Opens the cache; another one in tests.
    var openSubject: (CacheSettings) throws -> any ReplaySubject = CacheSubjects.open

    init(options: ReplayOptions, console: Console) {
        self.options = options
        self.console = console
    }

    func run() throws {
        // The trace comes first: a wrong one must not leave a store behind.
        let source = try openSource()
        let report = try withSettings { settings in
            try serve(source, through: openSubject(settings))
        }
        try console.print(options.json ? report.json : report.table)
        try check(report.tally)
    }

    private func openSource() throws(ToolError) -> any RequestSource {
        switch options.trace {
        case .synthetic(let seed):
            return SyntheticWorkload(seed: seed, requests: options.limit ?? SyntheticWorkload.defaultRequests)
        case .standardInput: return try checkSizes(of: TraceReader.open("-", format: options.format))
        case .file(let path): return try checkSizes(of: TraceReader.open(path, format: options.format))
        }
    }

    private func checkSizes(of reader: TraceReader) throws(ToolError) -> TraceReader {
        guard options.cost == .unit || reader.format.hasSizes else {
            throw .usage(
                "--cost size needs sizes, but '\(reader.path)' is of format \(reader.format.rawValue), which records none; "
                    + "use --cost unit"
            )
        }
        return reader
    }

    private func withSettings<R>(_ body: (CacheSettings) throws -> R) throws -> R {
        guard options.cache.tier == .tiered, options.cache.directory == nil else { return try body(options.cache) }
        return try ScratchDirectory.with { path in
            var settings = options.cache
            settings.directory = path
            return try body(settings)
        }
    }

    private func serve(_ source: any RequestSource, through subject: any ReplaySubject) throws -> ReplayReport {
        var progress = ProgressLine(console)
        var pass = ReplayPass(
            source,
            cost: options.cost,
            length: options.valueSize.map { .fixed($0) } ?? .standard,
            limit: options.limit
        )
        let report: ReplayReport
        do {
            defer { progress.finish() }
            pass.onProgress = { progress.update($0, fractionDone: $1) }
            let tally = try subject.serve(&pass)
            report = ReplayReport(
                workload: ReplayWorkload(options, source: source),
                cache: description(of: subject),
                tally: tally,
                counts: try subject.counts()
            )
        } catch {
            // What went wrong first is what the user must hear.
            try? subject.close()
            throw error
        }
        try subject.close()
        return report
    }

    /// The subject's description, with what only the command line knows.
    private func description(of subject: any ReplaySubject) -> CacheDescription {
        var description = subject.cacheDescription
        // Not the settings' directory, which may be a temporary one.
        description.directory = options.cache.directory
        description.configurationPath = options.cache.configurationPath
        return description
    }

    private func check(_ tally: ReplayTally) throws(ToolError) {
        if let key = tally.firstWrongKey {
            throw .failure(
                "\(tally.wrongValues) of \(tally.hits) hits had a wrong value, the first for key \(key); "
                    + "if the directory holds other data, give an empty one, else report a bug"
            )
        }
        guard !tally.wasInterrupted else {
            throw ToolError(
                status: .interrupted,
                message: "interrupted after \(tally.requests) requests; the report covers these"
            )
        }
    }
}
