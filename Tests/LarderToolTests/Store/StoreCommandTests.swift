import FoundationEssentials
import LarderStore
import TestSupport
import Testing

@testable import LarderTool

struct StoreCommandTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("store")
    }

    private struct Outcome {
        let status: ExitCode
        let bytes: [UInt8]
        let notes: String

        var text: String { String(decoding: bytes, as: UTF8.self) }
    }

    private func run(_ arguments: String...) -> Outcome {
        let recorded = RecordedConsole()
        let status = LarderTool.run(arguments, console: recorded.console())
        return Outcome(status: status, bytes: recorded.resultBytes, notes: recorded.notes)
    }

    /// A closed store with the tables `names` (text by text) and `numbers` (bytes by Int).
    private func makeStore(count: Int = 20) throws {
        let store = try Store.open(at: path, configuration: StoreConfiguration(durability: .fast))
        let names = try store.table("names", keyedBy: String.self, codec: .string)
        let numbers = try store.table("numbers", keyedBy: Int.self, codec: .bytes)
        for key in 0..<count {
            try names.setValue("value \(key)", forKey: "key \(key)")
            try numbers.setValue([UInt8](repeating: UInt8(key), count: key * 100), forKey: key - 2)
        }
        try store.close()
    }

    @Test func `a value put is printed as it is, listed, and removed`() throws {
        #expect(run("put", path, "--create", "größe", "a\u{0}b\nc").status == .success)
        let got = run("get", path, "größe")
        #expect(got.status == .success && got.text == "a\u{0}b\nc" && got.notes.isEmpty)
        #expect(run("get", path, "gro\u{308}ße").text == got.text)
        #expect(run("get", path, "67726fcc88c39f65", "--hex").status == .failure)
        #expect(run("get", path, "6772c3b6c39f65", "--hex").text == "6100620a63\n")
        #expect(run("put", path, "line\nbreak", "x").status == .success)
        #expect(run("keys", path).text == "größe\nline\\nbreak\n")
        #expect(run("keys", path, "--hex", "--limit", "1").text == "6772c3b6c39f65\n")
        #expect(run("remove", path, "größe").status == .success)
        #expect(run("get", path, "größe").status == .failure)
        let again = run("remove", path, "größe")
        #expect(
            again.status == .failure && again.notes.contains("there is no record under key 'größe' in table 'cache'")
        )
        #expect(run("verify", path).status == .success)
    }

    @Test func `what a service has stored is read, and what is put is read by the service`() throws {
        try makeStore()
        #expect(run("get", path, "key 7", "--table", "names").text == "value 7")
        #expect(run("get", path, "--table", "numbers", "--", "-1").bytes == [UInt8](repeating: 1, count: 100))
        #expect(run("keys", path, "--table", "numbers", "--limit", "3").text == "-2\n-1\n0\n")
        #expect(run("put", path, "key 3", "other", "--table", "names").status == .success)
        #expect(run("put", path, "100", "0102ff", "--table", "numbers", "--hex").status == .usage)
        #expect(run("put", path, "8000000000000064", "0102ff", "--table", "numbers", "--hex").status == .success)
        #expect(run("put", path, "7", "seven", "--table", "numbers").status == .success)
        #expect(run("remove", path, "5", "--table", "numbers").status == .success)

        let store = try Store.open(at: path, configuration: StoreConfiguration(durability: .fast))
        let names = try store.table("names", keyedBy: String.self, codec: .string)
        let numbers = try store.table("numbers", keyedBy: Int.self, codec: .bytes)
        #expect(names.value(forKey: "key 3") == "other")
        #expect(names.value(forKey: "key 4") == "value 4")
        #expect(numbers.value(forKey: 100) == [1, 2, 255])
        #expect(numbers.value(forKey: 7) == Array("seven".utf8))
        #expect(numbers.value(forKey: 5) == nil)
        #expect(store.statistics.damaged == 0)
        try store.close()
    }

    @Test func `a value that has expired is a miss`() throws {
        #expect(run("put", path, "--create", "k", "v", "--expire", "1000").status == .success)
        #expect(run("get", path, "k").text == "v")
        let recorded = RecordedConsole()
        var command = StoreCommand(
            request: try StoreRequest(.get, ParsedArguments(positionals: [path, "k"])),
            console: recorded.console()
        )
        command.now = { WallClock.system.now + .seconds(1_001) }
        #expect(toolError { try command.run() }?.message.hasPrefix("there is no record under key 'k'") == true)
        #expect(recorded.resultBytes.isEmpty)
    }

    @Test func `standard input is stored for a dash`() throws {
        let bytes: [UInt8] = [0, 255, 10, 13]
        var command = StoreCommand(
            request: try StoreRequest(
                .put,
                ParsedArguments(positionals: [path, "k", "-"], values: ["--codec": "bytes"], flags: ["--create"])
            ),
            console: RecordedConsole().console()
        )
        command.standardInput = { () throws(ToolError) in bytes }
        try command.run()
        #expect(run("get", path, "k").bytes == bytes)
    }

    @Test func `verify names the damage, and ends with status 1`() throws {
        try makeStore()
        let sound = run("verify", path)
        #expect(sound.status == .success && sound.notes.isEmpty)
        #expect(sound.text.contains("records      40\nfindings     none\n"))

        let file = path + "/data.mdb"
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: file)))
        // Pages that are free by now may hold older copies.
        for place in bytes.ranges(of: Array("value 13".utf8)) { bytes[place.upperBound - 1] ^= 1 }
        try Data(bytes).write(to: URL(filePath: file))
        let damaged = run("verify", path)
        #expect(damaged.status == .failure)
        #expect(
            damaged.text.contains(
                /records      39\nfindings     1\n  record \d+:\d+ is damaged: its checksum is another\n/
            )
        )
        #expect(damaged.notes.contains("is damaged: 1 findings") && damaged.notes.count { $0 == "\n" } == 1)
        let keys = run("keys", path, "--table", "names")
        #expect(keys.status == .failure && keys.text.count { $0 == "\n" } == 19)
        #expect(keys.notes.contains("1 records of the store"))
        #expect(run("get", path, "--table", "names", "key 13").notes.contains(/is damaged \(record \d+:\d+/))
        #expect(run("get", path, "--table", "names", "key 12").text == "value 12")
    }

    @Test func `a damaged store is never set aside by the tool`() throws {
        try makeStore()
        let file = path + "/data.mdb"
        try Data([UInt8](repeating: 7, count: 20_000)).write(to: URL(filePath: file))
        for arguments in [
            ["put", path, "k", "v"], ["remove", path, "k"], ["compact", path], ["get", path, "k"], ["stat", path],
        ] {
            let recorded = RecordedConsole()
            #expect(LarderTool.run(arguments, console: recorded.console()) == .failure)
            #expect(recorded.notes.hasPrefix("larder: The store at \(path) "), "\(recorded.notes)")
        }
        #expect(run("verify", path).text.contains("meta page 0 is damaged or foreign"))
        #expect(try Data(contentsOf: URL(filePath: file)).count == 20_000)
        let names = try FileManager.default.contentsOfDirectory(atPath: path)
        #expect(!names.contains { $0.hasPrefix("quarantine") })
    }

    @Test func `nothing is made where there is no store`() throws {
        for action in StoreRequest.Action.allCases {
            let arguments = [action.rawValue, path] + ["k", "v"].prefix(action.positionals.count - 1)
            let recorded = RecordedConsole()
            #expect(LarderTool.run(arguments, console: recorded.console()) == .failure)
            #expect(recorded.notes.hasPrefix("larder: There is no store at \(path):"), "\(recorded.notes)")
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test func `compact shrinks the file and keeps the values`() throws {
        let store = try Store.open(at: path, configuration: StoreConfiguration(durability: .fast))
        let table = try store.table("t", keyedBy: Int.self, codec: .bytes)
        for key in 0..<600 { try table.setValue([UInt8](repeating: UInt8(key % 256), count: 3_000), forKey: key) }
        try store.flush()
        for key in 0..<600 where key % 20 > 0 { table.removeValue(forKey: key) }
        try store.close()
        func size() throws -> Int { try Data(contentsOf: URL(filePath: path + "/data.mdb")).count }
        let before = try size()
        let outcome = run("compact", path)
        #expect(outcome.status == .success && outcome.text.hasPrefix("before "))
        #expect(try size() < before / 5)
        #expect(run("get", path, "580").bytes == [UInt8](repeating: 68, count: 3_000))
        #expect(run("verify", path).text.contains("records      30\n"))
    }

    @Test func `stat shows what is there, as a report and as JSON`() throws {
        try makeStore()
        let report = run("stat", path)
        #expect(report.status == .success)
        #expect(report.text.contains("entries      40\n"))
        #expect(report.text.contains("names        string"))
        #expect(report.text.contains("numbers      int64"))
        #expect(report.text.contains("size of records\n") && report.text.contains("below 1 min  "))
        #expect(!report.text.split(separator: "\n").contains { $0.count > 100 })

        struct Form: Decodable {
            struct Table: Decodable {
                let name, keys: String
                let entries, expiredEntries, liveBytes: Int
            }

            struct Range: Decodable {
                let from, entries: Int
                let below: Int?
            }

            let entries, removedEntries: Int
            let bytes: [String: Int]
            let tables: [Table]
            let sizes, ages: [Range]
        }
        let json = run("stat", path, "--json")
        #expect(json.text.count { $0 == "\n" } == 1)
        let form = try JSONDecoder().decode(Form.self, from: Data(json.bytes))
        #expect(form.entries == 40 && form.removedEntries == 0)
        #expect(form.tables.map(\.name) == ["names", "numbers"])
        #expect(form.tables.map(\.entries) == [20, 20])
        #expect(form.tables.map(\.expiredEntries) == [0, 0])
        #expect(form.tables.reduce(0) { $0 + $1.liveBytes } == form.bytes["live"])
        #expect(Set(form.bytes.keys) == ["live", "used", "free", "allocated", "file"])
        #expect(try #require(form.bytes["used"]) < #require(form.bytes["file"]))
        #expect(form.sizes.reduce(0) { $0 + $1.entries } == 40)
        #expect(form.ages.map(\.entries) == [40])
    }

    @Test(
        arguments: [
            (["get"], "DIR and KEY are missing"), (["put", "d", "k"], "VALUE is missing"),
            (["stat", "d", "e"], "unexpected argument 'e'"), (["stat", "--jsn", "d"], "did you mean '--json'?"),
            (["keys", "d", "--limit", "0"], "--limit is '0'"), (["put", "d", "k", "v", "--expire", "soon"], "'soon'"),
            (["put", "d", "k", "v", "--codec", "yaml"], "--codec is 'yaml'"),
        ]
    )
    func `a wrong command line is a usage error`(arguments: [String], part: String) {
        let recorded = RecordedConsole()
        #expect(LarderTool.run(arguments, console: recorded.console()) == .usage)
        #expect(recorded.notes.contains(part), "\(recorded.notes)")
    }

    @Test func `a table that is not named or not there is an error that lists those there are`() throws {
        try makeStore(count: 1)
        #expect(run("keys", path).notes.contains("has 2 tables: 'names', 'numbers'; name one with --table"))
        #expect(run("keys", path).status == .usage)
        let unknown = run("keys", path, "--table", "name")
        #expect(unknown.status == .failure && unknown.notes.contains("(did you mean 'names'?)"))
        #expect(run("put", path, "k", "v", "--table", "name").status == .failure)
        #expect(run("put", path, "k", "v", "--table", "third", "--create").status == .success)
        #expect(run("get", path, "k", "--table", "third").text == "v")
    }

    @Test func `every command has its help`() {
        for action in StoreRequest.Action.allCases {
            let help = run("help", action.rawValue)
            #expect(help.text.hasPrefix("Usage: larder \(action.rawValue) DIR"))
            #expect(help.text == run(action.rawValue, "--help").text)
            #expect(run("--help").text.contains("  \(action.rawValue) "))
            #expect(!help.text.split(separator: "\n").contains { $0.count > 120 })
        }
    }
}
