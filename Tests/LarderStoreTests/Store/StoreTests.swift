import LarderStore
import TestSupport
import Testing

struct StoreTests {
    @Test("A26 what is stored is read, replaced and removed, before and after the flush")
    func roundTrip() throws {
        let directory = try TemporaryDirectory()
        let store = try Store.open(at: directory.path("store"))
        let table = try store.table("t", keyedBy: String.self, codec: .string)

        #expect(table.value(forKey: "a") == nil)
        try table.setValue("1", forKey: "a")
        #expect(table.value(forKey: "a") == "1")
        try store.flush()
        #expect(table.value(forKey: "a") == "1")
        #expect(table.count == 1)

        try table.setValue("2", forKey: "a")
        #expect(table.value(forKey: "a") == "2")
        try store.flush()
        #expect(table.value(forKey: "a") == "2")
        #expect(table.count == 1)

        table.removeValue(forKey: "a")
        #expect(table.value(forKey: "a") == nil)
        #expect(!table.contains("a"))
        try store.flush()
        #expect(table.value(forKey: "a") == nil)
        #expect(table.count == 0)
        #expect(store.statistics.entries == 0)
        #expect(store.statistics.liveBytes == 0)
        try store.close()
    }

    @Test("V78 V77 close flushes, and a reopened store has everything")
    func reopen() throws {
        let directory = try TemporaryDirectory()
        do {
            let store = try Store.open(at: directory.path)
            let table = try store.table("t", keyedBy: Int.self, codec: ValueCodec<Int>.integer)
            for key in 0..<3 { try table.setValue(key * 10, forKey: key) }
            try store.close()
        }
        let store = try Store.open(at: directory.path)
        #expect(store.recovery == nil)
        let table = try store.table("t", keyedBy: Int.self, codec: ValueCodec<Int>.integer)
        #expect(table.count == 3)
        for key in 0..<3 { #expect(table.value(forKey: key) == key * 10) }
        try store.close()
    }
}
