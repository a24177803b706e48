import LarderStore
import Synchronization
import TestSupport
import Testing
import Threading

struct ConcurrencyTests {
    @Test("L6 B72 closing under reading and writing threads ends in misses, not in crashes")
    func closeUnderLoad() throws {
        let fixture = try StoreFixture()
        for round in 0..<30 {
            let store = try fixture.open()
            let table = try fixture.numbersToBytes(store)
            for key in 0..<20 { try table.setValue(pattern(key, count: 2_000), forKey: key) }
            try store.flush()
            let isDone = Atomic<Bool>(false)
            let threads = try (0..<6).map { number in
                try OSThread {
                    var key = number
                    while !isDone.load(ordering: .relaxed) {
                        key = (key + 1) % 20
                        if number == 0 { try? table.setValue(pattern(key, count: 2_000), forKey: key) }
                        if let value = table.value(forKey: key), value != pattern(key, count: 2_000) {
                            Issue.record("a wrong value in round \(round)")
                        }
                        if number == 1 { _ = table.keys() }
                    }
                }
            }
            for _ in 0..<50 { _ = table.value(forKey: 3) }
            try store.close()
            #expect(table.value(forKey: 3) == nil)
            isDone.store(true, ordering: .relaxed)
            for thread in threads { thread.join() }
        }
    }

    @Test("L17 L19 B54 a thousand short threads and twenty long ones share two readers")
    func fewReaders() throws {
        let fixture = try StoreFixture()
        var configuration = StoreFixture.configuration()
        configuration.maxReaders = 2
        let store = try fixture.open(configuration)
        let table = try fixture.numbers(store)
        for key in 0..<100 { try table.setValue(key, forKey: key) }
        try store.flush()
        let found = Atomic<Int>(0)
        let wrong = Atomic<Int>(0)
        @Sendable func look(_ key: Int) {
            guard let value = table.value(forKey: key) else { return }
            if value == key { found.add(1, ordering: .relaxed) } else { wrong.add(1, ordering: .relaxed) }
        }
        let long = try (0..<20).map { _ in
            try OSThread { for key in 0..<2_000 { look(key % 100) } }
        }
        for start in 0..<10 {
            let short = try (0..<100).map { number in try OSThread { look((start + number) % 100) } }
            for thread in short { thread.join() }
        }
        for thread in long { thread.join() }
        #expect(wrong.load(ordering: .relaxed) == 0)
        #expect(UInt64(found.load(ordering: .relaxed)) + store.statistics.readFailures == 41_000)
        #expect(found.load(ordering: .relaxed) > 35_000)
        #expect(store.statistics.readers <= 2)
        try store.close()
    }

    @Test("L1 L2 writes and reads from a saturated pool of tasks all come through")
    func manyTasks() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let table = try fixture.numbers(store)
        await withTaskGroup { group in
            for task in 0..<50 {
                group.addTask {
                    for step in 0..<100 {
                        let key = task * 1_000 + step
                        try? table.setValue(key, forKey: key)
                        #expect(table.value(forKey: key) == key)
                        await Task.yield()
                    }
                }
            }
        }
        try await store.flush()
        #expect(table.count == 5_000)
        try store.close()
    }

    @Test("B69 reading while reading works, on one thread and over two tables")
    func nestedReads() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let (numbers, bytes) = (try fixture.numbers(store), try fixture.bytes(store))
        for key in 0..<10 { try numbers.setValue(key, forKey: key) }
        try bytes.setValue([1], forKey: "x")
        try store.flush()
        var seen = 0
        numbers.forEach { key, record in
            #expect(record.value == key)
            #expect(bytes.value(forKey: "x") == [1])
            bytes.forEach { _, _ in seen += 1 }
        }
        #expect(seen == 10)
        try store.close()
    }

    @Test("B74 B84 tables made by eight threads at once keep their records apart")
    func tables() throws {
        let fixture = try StoreFixture()
        var store = try fixture.open()
        let opened = store
        let threads = try (0..<8).map { number in
            try OSThread {
                for round in 0..<20 {
                    guard let table = try? opened.table("t\(round % 10)", keyedBy: Int.self, codec: .string) else {
                        return
                    }
                    try? table.setValue("t\(round % 10)", forKey: number)
                }
            }
        }
        for thread in threads { thread.join() }
        try store.close()
        store = try fixture.open()
        for name in 0..<10 {
            let table = try store.table("t\(name)", keyedBy: Int.self, codec: .string)
            #expect(table.count == 8)
            table.forEach { _, record in #expect(record.value == "t\(name)") }
        }
        try store.close()
    }

    @Test("enumeration meets each key once while a writer rewrites them, in more steps than one")
    func enumerationUnderWrites() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let table = try fixture.numbers(store)
        for key in 0..<3_500 { try table.setValue(key, forKey: key) }
        try store.flush()
        let isDone = Atomic<Bool>(false)
        let writer = try OSThread {
            var key = 0
            while !isDone.load(ordering: .relaxed) {
                try? table.setValue(key, forKey: key)
                key = (key + 1) % 3_500
            }
        }
        for _ in 0..<3 { #expect(table.keys().sorted() == Array(0..<3_500)) }
        isDone.store(true, ordering: .relaxed)
        writer.join()
        try store.close()
    }
}
