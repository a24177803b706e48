import FoundationEssentials
import Glibc
import LarderStore
import Synchronization
import TestSupport
import Testing
import Threading

@testable import LarderStore
@testable import LarderTool

/// The store's commands as their users run them.
@Suite(.timeLimit(.minutes(30)))
struct StoreProcessTests {
    @Test func `a store that another process has open alone is left alone, with its number`() throws {
        let directory = try TemporaryDirectory()
        let store = try Store.open(at: directory.path, configuration: StoreConfiguration(durability: .fast))
        let table = try store.table("cache", keyedBy: String.self, codec: .string)
        try table.setValue("v", forKey: "k")
        try store.flush()
        for arguments in [
            ["stat"], ["verify"], ["compact"], ["get", "k"], ["put", "k", "x"], ["remove", "k"], ["keys"],
        ] {
            let result = try ToolProcess([arguments[0], directory.path] + arguments.dropFirst()).finish()
            #expect(result.status == 1 && result.output.isEmpty)
            #expect(result.errors.hasPrefix("larder: The store at \(directory.path) is open in process \(getpid()): "))
            #expect(result.errors.count { $0 == "\n" } == 1)
        }
        #expect(table.value(forKey: "k") == "v")
        try store.close()
        #expect(try ToolProcess.run("get", directory.path, "k").output == "v")
    }

    @Test(arguments: [Durability.strict, .commit, .fast])
    func `a store that processes share is joined, with their durability`(durability: Durability) throws {
        let directory = try TemporaryDirectory()
        let path = directory.path
        let changes = Changes()
        let store = try Store.open(
            at: path,
            configuration: StoreConfiguration(budget: .mebibytes(1), durability: durability, multiProcess: true),
            events: StoreEvents(onExternalChange: { _ in changes.count.add(1, ordering: .relaxed) })
        )
        let table = try store.table("cache", keyedBy: String.self, codec: .string)
        for key in 0..<200 { try table.setValue(String(repeating: "v", count: 3_000), forKey: "k \(key)") }
        try store.flush()
        let count = table.count
        #expect(try ToolProcess.run("get", path, "k 199").output.utf8.count == 3_000)
        #expect(try ToolProcess.run("keys", path).output.split(separator: "\n").count == count)
        let report = try ToolProcess.run("stat", path)
        #expect(report.status == 0 && report.output.contains("entries      \(count)\n"))
        #expect(table.count == count && changes.count.load(ordering: .relaxed) == 0)

        #expect(try ToolProcess.run("put", path, "k 199", "new").status == 0)
        #expect(table.value(forKey: "k 199") == "new")
        #expect(changes.count.load(ordering: .relaxed) > 0)
        #expect(try ToolProcess.run("put", path, "k", "v", "--table", "second", "--create").status == 0)
        #expect(try store.table("second", keyedBy: String.self, codec: .string).value(forKey: "k") == "v")
        #expect(
            try ToolProcess.run("put", path, "large", String(repeating: "x", count: 100_000), "--table", "cache").status
                == 0
        )
        #expect(try ToolProcess.run("remove", path, "k 198", "--table", "cache").status == 0)
        #expect(table.value(forKey: "k 198") == nil && table.value(forKey: "large")?.utf8.count == 100_000)
        #expect(try ToolProcess.run("remove", path, "k 198", "--table", "cache").status == 1)
        // The tool has evicted nothing, although it has added more than it has removed.
        #expect(table.count == count)
        // What is queued here it cannot see, and what it commits it commits beside that.
        try table.setValue("ours", forKey: "k 199")
        let beside = try ToolProcess.run("put", path, "k 197", "theirs", "--table", "cache")
        #expect(beside.status == 0, "\(beside.errors)")
        try store.flush()
        #expect(table.value(forKey: "k 199") == "ours" && table.value(forKey: "k 197") == "theirs")
        try store.close()
        #expect(try ToolProcess.run("verify", path).status == 0)
        let again = try Store.open(at: path, configuration: StoreConfiguration(durability: durability))
        #expect(again.recovery == nil)
        try again.close()
    }

    @Test(arguments: [("verify", "must not change meanwhile"), ("compact", "go on in the old file")])
    func `what needs a shared store alone says why, and what to do`(command: String, reason: String) throws {
        let directory = try TemporaryDirectory()
        let store = try Store.open(at: directory.path, configuration: StoreConfiguration(multiProcess: true))
        // A tool that was there meanwhile is not taken for a process that has it open.
        #expect(try ToolProcess.run("put", directory.path, "k", "v", "--create").status == 0)
        let result = try ToolProcess.run(command, directory.path)
        #expect(result.status == 1 && result.output.isEmpty)
        let prefix =
            "larder: The store at \(directory.path) is open in process \(getpid()), which shares it, and perhaps in more: "
        #expect(result.errors.hasPrefix(prefix + "close it in all of them, because "))
        #expect(result.errors.contains(reason) && result.errors.count { $0 == "\n" } == 1)
        try store.close()
        #expect(try ToolProcess.run(command, directory.path).status == 0)
    }

    @Test func `the tool waits neither for a process that opens the store nor for a commit that does not end`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path
        let store = try Store.open(at: path, configuration: StoreConfiguration(multiProcess: true))
        try store.table("cache", keyedBy: String.self, codec: .string).setValue("v", forKey: "k")
        try store.flush()
        let files = try StoreDirectory(path: path)
        let gate = try OwnerLock(files, isShared: true, deadline: .after(.seconds(5)))
        for arguments in [["get", path, "k"], ["put", path, "k", "x"]] {
            let result = try ToolProcess(arguments).finish()
            #expect(result.status == 1 && result.errors.contains("is still opening or closing the store at \(path)"))
        }
        gate.share()
        // As if it were stopped in the middle.
        try EngineTurns(files).write {
            #expect(try ToolProcess.run("get", path, "k").output == "v")
            #expect(try ToolProcess.run("stat", path).status == 0)
            let result = try ToolProcess.run("put", path, "k", "x")
            #expect(
                result.status == 1 && result.errors.contains("store at \(path) does not come to the end of a commit")
            )
        }
        #expect(try ToolProcess.run("put", path, "k", "x").status == 0)
        withExtendedLifetime(gate) {}
        try store.close()
    }

    @Test func `what cannot be joined is left as it is`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path
        let store = try Store.open(at: path, configuration: StoreConfiguration(multiProcess: true))
        let table = try store.table("cache", keyedBy: String.self, codec: .string)
        try table.setValue("v", forKey: "k")
        try store.flush()
        try Data("nonsense".utf8).write(to: URL(filePath: path + "/STATE"))
        let result = try ToolProcess.run("put", path, "k", "x")
        #expect(
            result.status == 1
                && result.errors.hasPrefix("larder: The store at \(path) cannot be joined, because STATE ")
        )
        #expect(try ToolProcess.run("get", path, "k").output == "v")
        #expect(try Data(contentsOf: URL(filePath: path + "/STATE")) == Data("nonsense".utf8))
        #expect(try !FileManager.default.contentsOfDirectory(atPath: path).contains { $0.hasPrefix("quarantine") })
        #expect(table.value(forKey: "k") == "v")
        try store.close()
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `an interruption while a value is read stores nothing`(signal: Int32) throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("store")
        let process = try ToolProcess(["put", path, "k", "-", "--create"])
        // More than a pipe holds: once it is written, the tool is reading.
        try process.write(String(repeating: "half ", count: 64 << 10))
        process.send(signal)
        let result = try process.finish()
        #expect(result.status == signal && result.output.isEmpty)
        #expect(try ToolProcess.run("get", path, "k").status == 1)
    }

    @Test func `empty keys and values are keys and values`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("store")
        #expect(try ToolProcess.run("put", path, "", "", "--create").status == 0)
        let result = try ToolProcess.run("get", path, "", "--hex")
        #expect(result.status == 0 && result.output == "\n")
        #expect(try ToolProcess.run("get", "", "k").errors == "larder: DIR is empty; give the directory of a store\n")
    }

    @Test func `bytes go in and out as they are`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("store")
        let put = try ToolProcess(["put", path, "k", "-", "--create"])
        try put.write("line\r\n\u{0}end")
        #expect(try put.finish().status == 0)
        #expect(try ToolProcess.run("get", path, "k").output == "line\r\n\u{0}end")
        #expect(try ToolProcess.run("verify", path).status == 0)
        #expect(try ToolProcess.run("get", path, "other").status == 1)
        #expect(try ToolProcess.run("get", path).status == 2)
    }
}

/// Counts what is reported.
private final class Changes: Sendable {
    let count = Atomic<Int>(0)
}
