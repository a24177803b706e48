internal import Glibc

/// `larder demo`: what `make run` shows.
struct DemoCommand {
    /// The workload is served again and again, from memory: of a longer trace the beginning must do.
    private static let maximumRequests = 1_000_000

    let trace: String?
    let console: Console

    var openSubject: (CacheSettings) throws -> any ReplaySubject = CacheSubjects.open
    var sendSignal: () -> Void = { kill(getpid(), SIGUSR1) }

    init(trace: String?, console: Console) {
        self.trace = trace
        self.console = console
    }

    func run() throws {
        // Read before anything is built, so that a damaged trace shows at once.
        let source = try openSource()
        try ScratchDirectory.with { directory in
            var settings = CacheSettings()
            settings.tier = .tiered
            settings.capacity = .bytes(128 << 20)
            settings.diskCapacity = 8 << 30
            settings.directory = directory
            try Demonstration(
                openSource: { source },
                openSubject: { try openSubject(settings) },
                sendSignal: sendSignal,
                console: console
            ).run()
        }
    }

    private func openSource() throws(ToolError) -> RecordedRequests {
        guard let trace else {
            return try RecordedRequests(SyntheticWorkload(seed: ReplayOptions.defaultSeed, requests: 200_000))
        }
        let reader = try TraceReader.open(trace, format: nil)
        guard reader.format.hasSizes else {
            throw .failure("the demo needs a trace with sizes, but '\(trace)' has none; give an oracle or csv trace")
        }
        let requests = try RecordedRequests(reader, limit: Self.maximumRequests)
        guard requests.recordsSizes else {
            throw .failure(
                "the demo needs a trace with sizes, but not every line of '\(trace)' has one; add a second column"
            )
        }
        return requests
    }
}
