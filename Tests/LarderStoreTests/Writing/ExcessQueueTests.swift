import Testing
import Threading

@testable import LarderStore

/// What the queue leaves out, seen from the writer's side.
struct ExcessQueueTests {
    private func queue(isShared: Bool = false) -> WriteQueue {
        WriteQueue(limit: 1 << 10, seed: HashSeed(value: 7), nextInstance: 1, isShared: isShared)
    }

    private func remove(_ key: UInt8, of table: TableState, _ queue: WriteQueue, bytes: Int = 0) {
        let (key, isExcess) = ([key], bytes > 0)
        queue.enqueue(
            PreparedWrite(
                table: table,
                kind: .remove(key: key),
                instance: table.queued,
                hash: queue.seed.hash(instance: table.queued, key: key),
                admission: queue.room.admitAlways(bytes),
                excess: isExcess ? PreparedWrite.Excess(absentAt: nil) : nil,
                payloadBytes: nil
            )
        )
    }

    private func take(_ queue: WriteQueue, atMost count: Int = .max) -> WriteQueue.Batch {
        queue.next(maxOperations: count, maxBytes: .max, deadline: .after(.zero))
    }

    private func finish(_ batch: WriteQueue.Batch, _ queue: WriteQueue) {
        queue.publish(batch, tombstones: [])
        queue.settle(batch, failure: nil)
    }

    @Test("a removal is left out while one of the key waits, but not for one under way beside other processes")
    func underWay() {
        for isShared in [false, true] {
            let queue = queue(isShared: isShared)
            let table = queue.register(name: "a", keyKind: "k")
            finish(take(queue), queue)
            for _ in 0..<3 { remove(1, of: table, queue) }
            let batch = take(queue)
            #expect(batch.operations.count == 1)
            // It may have been committed, and another process have written since.
            for _ in 0..<3 { remove(1, of: table, queue) }
            #expect(queue.state.withLock { $0.count } == (isShared ? 1 : 0))
            finish(batch, queue)
            finish(take(queue), queue)
            remove(1, of: table, queue)
            #expect(queue.state.withLock { $0.count } == 1)
        }
    }
}
