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

    /// What `--json` says was served and through what, with the real cache.
    private func report(_ arguments: [String]) throws -> Report {
        let console = RecordedConsole()
        #expect(LarderTool.run(["replay", "--json"] + arguments, console: console.console()) == .success)
        #expect(console.notes.isEmpty)
        return try JSONDecoder().decode(Report.self, from: Data(console.resultBytes))
    }

    private struct Report: Decodable {
        struct Workload: Decodable, Equatable {
            var name: String?
            var trace: String?
            var format: String?
            var seed: UInt64?
            var limit: Int?
            var cost: String?
            var valueSize: Int?
        }

        struct Cache: Decodable, Equatable {
            var name: String?
            var tier: String?
            var policy: String?
            var countLimit: Int?
            var costLimit: Int?
            var diskBudget: Int?
            var durability: String?
            var directory: String?
            var config: String?
        }

        let workload: Workload
        let cache: Cache
    }

    @Test func `the JSON tells the synthetic workload and the default cache`() throws {
        let report = try report(["--limit", "5", "--seed", "18446744073709551615", "--value-size", "0"])
        #expect(
            report.workload
                == .init(
                    name: "synthetic (Zipf 0.9 over 100000 keys with scans, seed 18446744073709551615)",
                    seed: .max,
                    limit: 5,
                    cost: "unit",
                    valueSize: 0
                )
        )
        #expect(
            report.cache
                == .init(name: "memory (lru, 10,000 entries)", tier: "memory", policy: "lru", countLimit: 10_000)
        )
    }

    @Test func `the JSON tells the trace, and the tiers as they were in effect`() throws {
        try withTrace("1,10\n2,20\n") { path in
            try ScratchDirectory.with { directory in
                let file = directory + "/cache.json"
                let json = """
                    {"memory": {"policy": "clock", "costLimit": "3MiB", "countLimit": 9},
                    "disk": {"directory": "/nowhere", "durability": "fast", "budget": "8MiB"}}
                    """
                try Data(json.utf8).write(to: URL(filePath: file))
                let given = try report([path, "--config", file, "--directory", directory + "/d", "--policy", "s3fifo"])
                #expect(given.workload == .init(name: "\(path) (csv)", trace: path, format: "csv", cost: "size"))
                var cache = given.cache
                cache.name = nil
                let expected = Report.Cache(
                    tier: "tiered",
                    policy: "s3fifo:0.1,1.0,1",
                    countLimit: 9,
                    costLimit: 3 << 20,
                    diskBudget: 8 << 20,
                    durability: "fast",
                    directory: directory + "/d",
                    config: file
                )
                #expect(cache == expected)
                // Where a temporary directory lay would only make two equal replays look different.
                let temporary = try report([path, "--tier", "tiered", "--disk-capacity", "16MiB"]).cache
                #expect(temporary.directory == nil && temporary.diskBudget == 16 << 20 && temporary.config == nil)
            }
        }
    }

    @Test func `a limit of the file that the command line breaks is refused with both`() throws {
        try ScratchDirectory.with { directory in
            let file = directory + "/cache.json"
            let json = #"{"disk": {"directory": "/nowhere", "maxValueBytes": "20MiB"}}"#
            try Data(json.utf8).write(to: URL(filePath: file))
            func notes(_ arguments: String...) -> String {
                let console = RecordedConsole()
                #expect(LarderTool.run(["replay"] + arguments, console: console.console()) == .failure)
                return console.notes
            }
            let both = notes("--config", file, "--disk-capacity", "2MiB")
            let sources = "larder: configuration file \(file) with --disk-capacity 2MiB: "
            #expect(both.hasPrefix(sources + "disk.maxValueBytes is 20MiB: "), "\(both)")
            let alone = notes("--disk-capacity", "5")
            #expect(alone.hasPrefix("larder: --disk-capacity 5: disk.budget is 5: "), "\(alone)")
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
            let problem = "--cost size needs sizes, but '\(path)' is of format lirs, which records none"
            #expect(error == .usage("\(problem); use --cost unit"))
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
            #expect(outcome.console.results.contains("\"wrongValues\":2,"))
        }
    }
}
