import TestSupport
import Testing
import Threading

@testable import LarderStore

/// The writer giving callers that flush together time to come back.
struct GatheringTests {
    private let queue = WriteQueue(limit: 1 << 20, seed: HashSeed(value: 7), nextInstance: 1, isShared: false)

    private func put() {
        queue.enqueue(WriteOperation(removing: .zero))
    }

    private func next(patience: Duration) -> WriteQueue.Batch {
        queue.next(maxOperations: 100, maxBytes: 1 << 20, deadline: .never, patience: patience)
    }

    /// A caller that puts and flushes, on a thread of its own, once `count` flushes wait with its own.
    private func flushing(until count: Int) throws -> OSThread {
        let caller = try OSThread { [queue] in
            queue.enqueue(WriteOperation(removing: .zero))
            _ = queue.flush()
        }
        while queue.state.withLock({ $0.waitingFlushes }) < count { idle(for: .microseconds(200)) }
        return caller
    }

    @Test("as many flushes as waited for the last batch share the next one")
    func together() throws {
        let callers = [try flushing(until: 1), try flushing(until: 2)]
        let batch = next(patience: .seconds(30))
        #expect(batch.operations.count == 2)
        queue.settle(batch, failure: nil)
        for caller in callers { caller.join() }

        let taken = Lock(0)
        let writer = try OSThread {
            let batch = next(patience: .seconds(30))
            taken.withLock { $0 = batch.operations.count }
            queue.settle(batch, failure: nil)
        }
        let first = try flushing(until: 1)
        while !queue.state.withLock({ $0.isGathering }) { idle(for: .microseconds(200)) }
        #expect(taken.withLock { $0 } == 0)
        let second = try OSThread { [queue] in
            queue.enqueue(WriteOperation(removing: .zero))
            _ = queue.flush()
        }
        for thread in [writer, first, second] { thread.join() }
        #expect(taken.withLock { $0 } == 2)
    }

    @Test("who flushes alone, or never, is not kept waiting, and nobody for longer than the patience")
    func alone() throws {
        put()
        var batch = next(patience: .seconds(30))
        #expect(batch.operations.count == 1)
        queue.settle(batch, failure: nil)
        for _ in 0..<2 {
            let caller = try flushing(until: 1)
            batch = next(patience: .seconds(30))
            #expect(batch.operations.count == 1)
            queue.settle(batch, failure: nil)
            caller.join()
        }
        // Two came last time; one of them does not come back.
        let callers = [try flushing(until: 1), try flushing(until: 2)]
        batch = next(patience: .seconds(30))
        queue.settle(batch, failure: nil)
        for caller in callers { caller.join() }
        let caller = try flushing(until: 1)
        batch = next(patience: .milliseconds(5))
        #expect(batch.operations.count == 1)
        queue.settle(batch, failure: nil)
        caller.join()
        #expect(queue.state.withLock { $0.expectedFlushes } == 1)
    }

    @Test("a flush counts until it is settled, not until its thread has woken up")
    func settled() throws {
        var callers = [try flushing(until: 1), try flushing(until: 2)]
        let batch = next(patience: .zero)
        callers.append(try flushing(until: 3))
        queue.settle(batch, failure: nil)
        let (waiting, expected) = queue.state.withLock { ($0.waitingFlushes, $0.expectedFlushes) }
        #expect(waiting == 1)
        #expect(expected == 3)
        queue.settle(next(patience: .zero), failure: nil)
        #expect(queue.state.withLock { $0.waitingFlushes } == 0)
        for caller in callers { caller.join() }
    }

    @Test("closing ends the wait for more")
    func closing() throws {
        let callers = [try flushing(until: 1), try flushing(until: 2)]
        let batch = next(patience: .seconds(30))
        queue.settle(batch, failure: nil)
        for caller in callers { caller.join() }
        put()
        queue.close(within: .seconds(1))
        #expect(next(patience: .seconds(30)).operations.count == 1)
    }
}
