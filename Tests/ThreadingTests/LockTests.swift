import Testing
import Threading

struct LockTests {
    @Test func `increments from many threads are all kept`() throws {
        let counter = Lock(0)
        let threads = try (0..<4).map { _ in
            try OSThread {
                for _ in 0..<10_000 { counter.withLock { $0 += 1 } }
            }
        }
        for thread in threads { thread.join() }
        #expect(counter.withLock { $0 } == 40_000)
    }

    @Test func `a waiter sees the change it waited for`() throws {
        let box = Lock<[Int]>([])
        let producer = try OSThread {
            for value in 1...3 {
                box.withLock { $0.append(value) }
                box.notifyAll()
            }
        }
        let seen = box.wait(until: { $0.count == 3 }) { values, isReady in isReady ? values : [] }
        producer.join()
        #expect(seen == [1, 2, 3])
    }

    @Test func `a wait ends at its deadline and says so`() {
        let box = Lock(false)
        let isReady = box.wait(until: { $0 }, deadline: .after(.milliseconds(5))) { _, isReady in isReady }
        #expect(!isReady)
    }

    @Test func `deadlines beyond the clock's range never pass`() {
        #expect(Deadline.after(.seconds(Int64.max)) == .never)
        #expect(Deadline.after(.seconds(-1)).hasPassed)
        #expect(!Deadline.never.hasPassed)
    }
}
