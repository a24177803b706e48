import LarderStore
import TestSupport
import Testing

@testable import LarderTool

/// The store's commands as their users run them.
@Suite(.timeLimit(.minutes(10)))
struct StoreProcessTests {
    @Test(arguments: [false, true])
    func `a store that another process has open is left alone, with its number`(isShared: Bool) throws {
        let directory = try TemporaryDirectory()
        let configuration = StoreConfiguration(durability: .fast, multiProcess: isShared)
        let store = try Store.open(at: directory.path, configuration: configuration)
        let table = try store.table("cache", keyedBy: String.self, codec: .string)
        try table.setValue("v", forKey: "k")
        try store.flush()
        for arguments in [
            ["stat"], ["verify"], ["compact"], ["get", "k"], ["put", "k", "x"], ["remove", "k"], ["keys"],
        ] {
            let result = try ToolProcess([arguments[0], directory.path] + arguments.dropFirst()).finish()
            #expect(result.status == 1 && result.output.isEmpty)
            #expect(result.errors.hasPrefix("larder: The store at \(directory.path) is open in process "))
            #expect(result.errors.contains(", which shares it") == isShared)
            #expect(result.errors.count { $0 == "\n" } == 1)
        }
        #expect(table.value(forKey: "k") == "v")
        try store.close()
        #expect(try ToolProcess.run("get", directory.path, "k").output == "v")
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
