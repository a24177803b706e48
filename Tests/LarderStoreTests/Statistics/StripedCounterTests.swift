import Testing
import Threading

@testable import LarderStore

struct StripedCounterTests {
    @Test("nothing is lost when threads count at the same time")
    func sum() throws {
        let counter = StripedCounter()
        let threads = try (0..<8).map { _ in
            try OSThread {
                for _ in 0..<10_000 { counter.count() }
            }
        }
        for thread in threads { thread.join() }
        #expect(counter.value == 80_000)
    }
}
