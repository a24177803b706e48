import Glibc
import LarderStore
import TestSupport
import Testing
import Threading

@testable import LarderStore

/// Looking at a store that other processes have open, without opening it.
@Suite(.timeLimit(.minutes(30)))
struct JoiningTests {
    private let fixture: StoreFixture

    init() throws {
        fixture = try StoreFixture()
    }

    private func other(_ durability: Durability = .fast) throws -> ObedientProcess {
        let process = try ObedientProcess()
        #expect(process.ask("open \(fixture.path) \(durability.rawValue) shared") == "opened")
        return process
    }

    private func texts(_ content: StoreContent) throws -> [String] {
        let table = try #require(content.tables.first { $0.name == "t" })
        var texts: [String] = []
        #expect(try content.forEachRecord(in: table) { texts.append(String(decoding: $0.payload, as: UTF8.self)) } == 0)
        return texts
    }

    @Test(
        "L63 who looks at a shared store keeps what it was, holds nobody up, and leaves it clean if all others close it"
    )
    func look() throws {
        let other = try other()
        #expect(other.ask("fill t 200 300") == "done")
        #expect(other.ask("flush") == "done")
        var file: StoreFile? = try StoreFile(path: fixture.path, beside: .sharers)
        #expect(file?.isJoined == true && file?.durability == .fast)
        var content = try file?.content()
        for round in 0..<20 {
            #expect(other.ask("fill t 200 \(301 + round)") == "done")
            #expect(other.ask("flush") == "done")
        }
        // A process can come and go meanwhile.
        let second = try self.other()
        #expect(second.ask("clear t") == "done")
        #expect(second.ask("close") == "done")
        // Each value begins with its key.
        let old = (0..<200).map { key in "\(key)" + String(repeating: "x", count: 300 - "\(key)".utf8.count) }
        #expect(try texts(#require(content)).sorted() == old.sorted())
        #expect(file?.verify().findings == [])
        // Who wants the store alone is told of a process that has it open, not of the one that looks.
        let refusal = #expect(throws: StoreError.self) { try fixture.open() }
        #expect(refusal?.code == .inUse && refusal?.message.contains("\(getpid()),") == false)
        #expect(other.ask("close") == "done")
        #expect(try !fixture.state().isClean)
        (file, content) = (nil, nil)
        #expect(try fixture.state().isClean)
        let store = try fixture.open()
        #expect(store.recovery == nil)
        #expect(try store.table("t", keyedBy: Int.self, codec: .string).count == 0)
        try store.close()
        #expect(try !StoreFile(path: fixture.path, beside: .sharers).isJoined)
    }

    @Test("a look at a store that is being written to is a look at one commit", arguments: [Durability.fast, .strict])
    func busy(durability: Durability) throws {
        let other = try other(durability)
        #expect(other.ask("put t 0 x") == "done")
        #expect(other.ask("flush") == "done")
        let isOver = Flag()
        let writer = Lock<ObedientProcess?>(other)
        let thread = try OSThread {
            writer.withLock { other in
                var round = 0
                while !isOver.isSet {
                    round += 1
                    other?.ask("put t \(round % 40) \(round)")
                    other?.ask("flush")
                    if round % 50 == 0 { other?.ask("clear t") }
                }
            }
        }
        for _ in 0..<200 {
            let result = try StoreFile(path: fixture.path, beside: .sharers).verify()
            #expect(result.isSound, "\(result.findings)")
        }
        isOver.isSet = true
        thread.join()
        #expect(writer.withLock { $0?.ask("close") } == "done")
        #expect(try fixture.state().isClean)
        #expect(try Store.verify(at: fixture.path).isSound)
    }

    @Test("the damage that another process has found is not forgotten by who leaves last")
    func suspicion() throws {
        let other = try other()
        #expect(other.ask("put t 1 x") == "done")
        #expect(other.ask("flush") == "done")
        var file: StoreFile? = try StoreFile(path: fixture.path, beside: .sharers)
        #expect(file?.isJoined == true)
        var found = try fixture.state()
        found.isSuspect = true
        try StoreDirectory(path: fixture.path).replace(StateFile.name, with: found.encoded)
        #expect(other.ask("close") == "done")
        file = nil
        #expect(try fixture.state().isSuspect && !fixture.state().isClean)
    }

    @Test("one that this process itself has open is not opened a second time")
    func ownStore() throws {
        var configuration = StoreFixture.configuration()
        configuration.multiProcess = true
        let store = try fixture.open(configuration)
        let error = #expect(throws: StoreError.self) { try StoreFile(path: fixture.path, beside: .sharers) }
        #expect(error?.code == .inUse && error?.message.contains("in this process") == true)
        // The gate was left open.
        #expect(try other().ask("close") == "done")
        try store.close()
    }

    @Test("a larger map than the others have is not left to them by a tool that writes")
    func map() throws {
        let other = try other()
        #expect(other.ask("put t 1 theirs") == "done")
        #expect(other.ask("flush") == "done")
        let store = try Store.openForMaintenance(at: fixture.path, beside: .sharers)
        #expect(store.configuration.multiProcess && store.configuration.durability == .fast)
        try store.setBytes(
            [65],
            codec: ValueCodec<String>.string.id,
            forKey: 2.storeKeyBytes,
            in: "t",
            keyKind: "int64",
            expiration: nil
        )
        try store.close()
        #expect(other.ask("get t 2") == "value A")
        let bytes = try #require(Files.read(fixture.path + "/data.mdb"))
        // The size of the map in both meta pages: four budgets of 64 MiB, and a gibibyte at least.
        for page in 0...1 {
            let size = bytes[(page * 4096 + 32)..<(page * 4096 + 40)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
            #expect(size == 1 << 30)
        }
        #expect(other.ask("close") == "done")
    }
}
