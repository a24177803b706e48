import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import LarderMemory

struct BarrierQueueTests {
    /// Two numbers that only a write may change, and only together.
    private final class Guarded: @unchecked Sendable {
        // because: reached only inside bodies of the queue under test; a mistake there is what the tests look for.

        let queue: BarrierQueue
        var left = 0
        var right = 0

        init(target: DispatchQueue? = nil) {
            queue = BarrierQueue(label: "guarded", target: target)
        }

        func change() {
            left += 1
            right += 1
        }
    }

    @Test("A66 T3 no body of a writer overlaps any other, in all forms of calls")
    func exclusion() {
        let guarded = Guarded()
        let torn = Recorder<Int>()
        let rounds = 3_000
        let look: @Sendable (Int) -> Void = { _ in if guarded.left != guarded.right { torn.note(guarded.left) } }
        let haveEnded = threads(8) { thread in
            for _ in 0..<rounds {
                switch thread {
                case 0, 1: guarded.queue.read(look)
                case 2: guarded.queue.readInQueueOrder(look)
                case 3: guarded.queue.enqueueRead(look) { _ in }
                case 4, 5: _ = guarded.queue.write { guarded.change() }
                case 6: _ = guarded.queue.writeAsBarrier { guarded.change() }
                default: guarded.queue.enqueueWrite({ guarded.change() }) { _ in }
                }
            }
        }
        #expect(haveEnded)
        guarded.queue.waitForQueue()
        #expect(torn.events.isEmpty)
        #expect(guarded.queue.read { _ in guarded.left } == 4 * rounds)
        #expect(guarded.queue.gate.load(ordering: .relaxed) == BarrierGate.open)
        #expect(guarded.queue.lanes.areAllFree())
    }

    @Test("calls of one thread take effect in their order, whatever their form")
    func firstInFirstOut() {
        let guarded = Guarded()
        let values = Recorder<Int>()
        let ordered = threads(3) { _ in
            let own = Guarded()
            for round in 1...500 {
                own.queue.enqueueWrite({ own.left = round }) { _ in }
                #expect(own.queue.read { _ in own.left } == round)
                own.queue.enqueueWrite({ own.left = -round }) { _ in }
                _ = own.queue.write { own.left = own.left == -round ? round : 0 }
                own.queue.enqueueRead({ _ in own.left }) { values.note($0 == round ? 1 : 0) }
                _ = own.queue.write { own.left = 0 }
            }
            own.queue.waitForQueue()
        }
        #expect(ordered)
        #expect(values.count == 1_500)
        #expect(values.events.allSatisfy { $0 == 1 })
        _ = guarded
    }

    @Test("a read inside a write is answered in place, a write inside any body is passed back")
    func reentrance() {
        let guarded = Guarded()
        let nested = guarded.queue.write { () -> Bool in
            guarded.left = 7
            return guarded.queue.read { _ in guarded.queue.read { _ in guarded.left } } == 7
                && guarded.queue.write { 1 } == nil && guarded.queue.writeAsBarrier { 1 } == nil
                && guarded.queue.readInQueueOrder { _ in guarded.left } == 7
        }
        #expect(nested == true)
        let inRead = guarded.queue.read { _ in
            guarded.queue.write { 1 } == nil && guarded.queue.writeAsBarrier { 1 } == nil
                && guarded.queue.read { _ in true } && guarded.queue.readInQueueOrder { _ in true }
        }
        #expect(inRead)
        #expect(guarded.queue.gate.load(ordering: .relaxed) == BarrierGate.open)
        #expect(guarded.queue.lanes.areAllFree())
    }

    @Test("a read nested in a read does not wait for the writer that waits for it")
    func nestedReadBesideWriters() {
        let guarded = Guarded()
        let stop = Atomic<Bool>(false)
        withExtendedLifetime(stop) {
            let haveEnded = threads(4) { thread in
                for _ in 0..<2_000 {
                    if thread < 2 {
                        guarded.queue.read { _ in guarded.queue.read { _ in guarded.queue.read { _ in } } }
                    } else {
                        _ = guarded.queue.write { guarded.change() }
                    }
                }
            }
            #expect(haveEnded)
        }
        #expect(guarded.left == 4_000)
    }

    @Test("more readers at once than lanes all get in")
    func moreReadersThanLanes() {
        let guarded = Guarded()
        let readers = guarded.queue.lanes.indices.count * 2
        let entered = Recorder<Int>()
        let all = Recorder<Bool>()
        let haveEnded = threads(readers) { number in
            guarded.queue.read { _ in
                entered.note(number)
                // As many as there are lanes can be inside together; the rest come when one leaves.
                if entered.count >= guarded.queue.lanes.indices.count { all.note(true) }
                _ = all.waits(for: 1)
            }
        }
        #expect(haveEnded)
        #expect(entered.count == readers)
    }

    @Test("writers get on beside endless readers, and readers beside endless writers")
    func noStarvation() {
        let guarded = Guarded()
        let readersDone = Recorder<Bool>()
        let writersDone = Recorder<Bool>()
        let haveEnded = threads(8) { thread in
            switch thread {
            case 0:
                for _ in 0..<500 { _ = guarded.queue.write { guarded.change() } }
                for _ in 0..<100 { _ = guarded.queue.writeAsBarrier { guarded.change() } }
                writersDone.note(true)
            case 1:
                for _ in 0..<500 { guarded.queue.read { _ in } }
                for _ in 0..<100 { guarded.queue.readInQueueOrder { _ in } }
                readersDone.note(true)
            case 2...4: while writersDone.count == 0 { guarded.queue.read { _ in } }
            default: while readersDone.count == 0 { _ = guarded.queue.write { guarded.change() } }
            }
        }
        #expect(haveEnded)
    }

    @Test("a caller that waits for a sleeping barrier sleeps as well")
    func noBusyWaiting() {
        let guarded = Guarded()
        let isInside = Recorder<Bool>()
        let mayLeave = Recorder<Bool>()
        let used = Recorder<Double>()
        let haveEnded = threads(4) { thread in
            switch thread {
            case 0:
                _ = guarded.queue.writeAsBarrier {
                    isInside.note(true)
                    _ = mayLeave.waits(for: 1)
                }
            case 1:
                _ = isInside.waits(for: 1)
                #expect(!mayLeave.waits(for: 1, within: .milliseconds(300)))
                mayLeave.note(true)
            default:
                _ = isInside.waits(for: 1)
                let start = threadSeconds()
                if thread == 2 { guarded.queue.read { _ in } } else { _ = guarded.queue.write {} }
                used.note(threadSeconds() - start)
            }
        }
        #expect(haveEnded)
        #expect(used.count == 2)
        #expect(used.events.allSatisfy { $0 < 0.1 })
    }

    @Test(
        "T10 B12 calls from a target queue, its blocks and the queue's own blocks return",
        arguments: ["serial", "concurrent", "global", "own"]
    )
    func targets(kind: String) {
        let target: DispatchQueue? =
            switch kind {
            case "serial": DispatchQueue(label: "serial target")
            case "concurrent": DispatchQueue(label: "concurrent target", attributes: .concurrent)
            case "global": DispatchQueue.global()
            default: nil
            }
        let guarded = Guarded(target: target)
        let caller = target ?? guarded.queue.queue
        let isDone = Recorder<Bool>()
        let work: @Sendable () -> Void = {
            guarded.queue.enqueueWrite({ guarded.change() }) { _ in isDone.note(true) }
            _ = guarded.queue.write { guarded.change() }
            _ = guarded.queue.writeAsBarrier { guarded.change() }
            guarded.queue.read { _ in }
            guarded.queue.readInQueueOrder { _ in }
            // From a global queue it would really wait, for threads of the pool that these blocks occupy.
            if kind != "global" { guarded.queue.waitForQueue() }
            isDone.note(true)
        }
        for _ in 0..<50 { caller.async(execute: work) }
        if kind != "global" { for _ in 0..<50 { caller.async(flags: .barrier, execute: work) } }
        #expect(isDone.waits(for: kind == "global" ? 100 : 200))
        let sum = Recorder<Int>()
        #expect(finishes { sum.note(guarded.queue.read { _ in guarded.left }) })
        #expect(sum.events == [kind == "global" ? 150 : 300])
    }

    @Test("callers on a global target queue keep first in, first out")
    func globalTargetOrder() {
        let guarded = Guarded(target: .global())
        let stale = Recorder<Int>()
        let done = Recorder<Bool>()
        DispatchQueue.global().async {
            for round in 1...500 {
                guarded.queue.enqueueWrite({ guarded.left = round }) { _ in }
                let seen = guarded.queue.read { _ in guarded.left }
                if seen != round { stale.note(seen) }
            }
            done.note(true)
        }
        #expect(done.waits(for: 1))
        #expect(stale.events.isEmpty)
    }

    @Test("a queue that outlives its owner bears no mark of it")
    func outlivingQueues() {
        let target = DispatchQueue(label: "target")
        var queues: [DispatchQueue] = [target]
        for _ in 0..<100 { queues.append(BarrierQueue(label: "short", target: target).queue) }
        let fresh = BarrierQueue(label: "fresh", target: nil)
        for queue in queues { #expect(queue.sync { DispatchQueue.getSpecific(key: fresh.marker) } == nil) }
        #expect(fresh.queue.sync { DispatchQueue.getSpecific(key: fresh.marker) } == true)
    }
}
