import Testing

@testable import LarderTool

struct DemonstrationTests {
    private let requests = (0..<6_000).map { Fixture.request(Int64($0 * $0 % 997), 10) }

    private func run(
        capacity: Int = 2_000,
        onSignal: @escaping (FakeCache) -> Void = { $0.emptyMemory() },
        onReopen: @escaping (FakeDisk) -> Void = { _ in },
        wrongKey: Int64? = nil
    ) -> (error: ToolError?, output: String, caches: [FakeCache]) {
        let disk = FakeDisk()
        let recorded = RecordedConsole()
        var caches: [FakeCache] = []
        let error = toolError {
            try Demonstration(
                openSource: { RecordedRequests(name: "t", requests) },
                openSubject: {
                    if !caches.isEmpty { onReopen(disk) }
                    let cache = FakeCache(capacity: capacity, disk: disk)
                    cache.wrongKey = wrongKey
                    caches.append(cache)
                    return cache
                },
                sendSignal: { if let cache = caches.last { onSignal(cache) } },
                console: recorded.console()
            ).run()
        }
        return (error, recorded.results, caches)
    }

    @Test func `each step is shown, and every cache closed`() {
        let outcome = run()
        #expect(outcome.error == nil)
        for part in ["1. An empty cache", "2. The cache is closed", "3. The process sends", "4. The same 2,000"] {
            #expect(outcome.output.contains(part))
        }
        #expect(outcome.output.contains("after    memory 0 entries, disk "))
        #expect(outcome.caches.count == 2 && outcome.caches.allSatisfy(\.isClosed))
    }

    @Test func `a disk that loses entries, or a signal that takes them, fails it`() {
        let reopened = run(onReopen: { $0.values.removeValue(forKey: 1) })
        #expect(reopened.error?.message.contains("lost entries when it was reopened") == true)
        #expect(reopened.caches.count { !$0.isClosed } == 0)
        let signalled = run(onSignal: { cache in
            cache.emptyMemory()
            cache.loseDisk()
        })
        #expect(signalled.error?.message.contains("did not stay whole") == true)
    }

    @Test func `a memory tier that promotes nothing fails it`() {
        #expect(run(capacity: 5).error?.message.contains("not promoted into memory") == true)
    }

    @Test func `a wrong value fails it`() {
        #expect(run(wrongKey: 1).error?.message.contains("hits had a wrong value") == true)
    }
}
