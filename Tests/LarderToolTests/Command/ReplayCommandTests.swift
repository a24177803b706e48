import FoundationEssentials
import Testing

@testable import LarderTool

struct ReplayCommandTests {
    /// What one run did.
    private struct Outcome {
        var error: ToolError?
        var settings: CacheSettings?
        let console = RecordedConsole()
        let cache = FakeCache(capacity: 100, disk: FakeDisk())
    }

    private func run(
        _ arguments: [String],
        opening: ((CacheSettings) throws -> Void)? = nil,
        preparing: (FakeCache) -> Void = { _ in }
    ) throws -> Outcome {
        var outcome = Outcome()
        preparing(outcome.cache)
        guard case .replay(let options) = try Subcommand(arguments: ["replay"] + arguments) else { return outcome }
        var command = ReplayCommand(options: options, console: outcome.console.console())
        var settings: CacheSettings?
        command.openSubject = { [cache = outcome.cache] in
            settings = $0
            try opening?($0)
            return cache
        }
        outcome.error = toolError { try command.run() }
        outcome.settings = settings
        return outcome
    }

    private func withTrace(_ text: String, _ body: (String) throws -> Void) throws {
        try ScratchDirectory.with { directory in
            let path = directory + "/trace.csv"
            try Data(text.utf8).write(to: URL(filePath: path))
            try body(path)
        }
    }

    @Test func `a trace is served and reported, and the cache closed`() throws {
        try withTrace("1,10\n2,20\n1,10\n") { path in
            let outcome = try run([path, "--json"])
            #expect(outcome.error == nil && outcome.cache.isClosed)
            #expect(outcome.console.results.hasPrefix("{\"requests\":3,\"hits\":1,\"misses\":2,\"missBytes\":30,"))
            #expect(outcome.console.notes.isEmpty)
            #expect(try run([path]).console.results.hasPrefix("workload     \(path) (csv)\ncache        fake\n"))
        }
    }

    @Test func `without a trace the synthetic workload is served up to the limit`() throws {
        let outcome = try run(["--limit", "500", "--json"])
        #expect(outcome.console.results.hasPrefix("{\"requests\":500,"))
    }

    @Test func `a tiered replay without a directory has one for as long as it lasts`() throws {
        var path = ""
        let outcome = try run(["--tier", "tiered", "--limit", "10"]) { settings in
            path = settings.directory ?? ""
            #expect(FileManager.default.fileExists(atPath: path))
        }
        #expect(outcome.error == nil)
        #expect(!path.isEmpty && !FileManager.default.fileExists(atPath: path))
    }

    @Test func `the temporary directory goes when the cache cannot be opened or fails`() throws {
        var paths: [String] = []
        let refused = try run(["--tier", "tiered"]) {
            paths.append($0.directory ?? "")
            throw ToolError.failure("no")
        }
        #expect(refused.error == .failure("no"))
        let failed = try run(["--tier", "tiered", "--limit", "5"]) {
            paths.append($0.directory ?? "")
        } preparing: {
            $0.failsToSettle = true
        }
        #expect(failed.error == .failure("the fake disk is full") && failed.cache.isClosed)
        #expect(failed.console.results.isEmpty)
        for path in paths { #expect(!path.isEmpty && !FileManager.default.fileExists(atPath: path)) }
    }

    @Test func `a given directory is used and kept`() throws {
        try ScratchDirectory.with { directory in
            let outcome = try run(["--directory", directory, "--limit", "5"])
            #expect(outcome.settings?.directory == directory && outcome.settings?.tier == .tiered)
            #expect(FileManager.default.fileExists(atPath: directory))
        }
    }

    @Test func `a bad trace is found before a cache is opened`() throws {
        let missing = try run(["/does/not/exist.lirs", "--tier", "tiered"])
        #expect(missing.error?.status == .failure && missing.settings == nil)
        try withTrace("") { path in
            let error = try run([path]).error
            #expect(error?.message == "trace '\(path)' is empty; give one with requests")
        }
    }

    @Test func `a line that turns out bad ends the run without a report`() throws {
        try withTrace("1,1\n2,-1\n") { path in
            let outcome = try run([path])
            #expect(outcome.error?.message.contains("line 2: '2,-1' has a size") == true)
            #expect(outcome.console.results.isEmpty && outcome.cache.isClosed)
        }
    }

    @Test func `cost by size is refused for a format without sizes`() throws {
        try withTrace("1\n2\n") { path in
            let error = try run([path, "--format", "lirs", "--cost", "size"]).error
            #expect(error == .usage("--cost size needs sizes, but format lirs records none; use --cost unit"))
        }
    }

    @Test func `a wrong byte is reported and a failure`() throws {
        try withTrace("7,10\n8,10\n7,10\n7,10\n") { path in
            let outcome = try run([path, "--json"]) { _ in
            } preparing: {
                $0.wrongKey = 7
            }
            #expect(outcome.error?.status == .failure)
            #expect(outcome.error?.message.hasPrefix("2 of 2 hits had a wrong value, the first for key 7;") == true)
            #expect(outcome.console.results.contains("\"wrongValues\":2}"))
        }
    }
}
