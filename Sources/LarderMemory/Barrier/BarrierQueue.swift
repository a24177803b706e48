internal import Dispatch
public import Synchronization

/// Reads beside each other, writes alone, first in, first out: a concurrent Dispatch queue with barriers, and a fast lane
/// for readers in front of it.
///
/// Waiting in a Dispatch queue is the slow path. Most synchronous calls never touch one (the idea of biased reader–writer
/// locks: Dice and Kogan, "BRAVO", 2019).
///
/// Invariants, which `BarrierModel` in the tests explores over all interleavings:
/// 1. A reader's body runs only between announcing itself in a lane and leaving it, after it saw the gate without the
///    exclusive bit. A writer's body runs only after it set that bit and then saw every lane free. Hence no body of a
///    writer overlaps any other body.
/// 2. An asynchronous call raises its ticket before it is queued, and gives it back after its body. A synchronous call that
///    sees a ticket it must not overtake lines up, and runs the queued calls first. Hence first in, first out for the calls
///    of one thread.
/// 3. A thread never waits for itself: whoever is on the exclusive side, announced in a lane, or at the head of the line
///    further up its own stack is answered in place, or told so (writes inside a body, which then run right after).
/// 4. A synchronous call gives up spinning after a bounded number of rounds and takes a ticket: from then on nobody new
///    enters before it. Hence no starvation in either direction.
/// 5. A synchronous call never waits for a block that was put on a queue asynchronously, and so never for a thread of the
///    pool: callers may occupy the whole pool, and the target queue may be serial and busy.
@usableFromInline
final class BarrierQueue: Sendable {
    /// Where asynchronous calls and their completions run.
    let queue: DispatchQueue

    /// Runs the asynchronous calls that no synchronous call has run first, as blocks of `queue`.
    ///
    /// Serial: calls that wait for their turn hold one thread of the pool between them.
    let runner: DispatchQueue

    /// Where synchronous calls that cannot be made in place wait for their turn, writes as barriers.
    ///
    /// Only `sync` is ever called on it: each block brings the thread that runs it.
    private let line: DispatchQueue

    /// The thread that runs a barrier of the line, or zero; compared like `owner`.
    private let lineOwner = Atomic<UInt>(0)

    /// The asynchronous calls that have not run yet.
    let calls = QueuedCalls()

    @usableFromInline let lanes: ReaderLanes
    @usableFromInline let gate = Atomic<UInt64>(BarrierGate.open)

    /// The thread on the exclusive side, or zero.
    ///
    /// Only ever compared with the own token, so relaxed is enough: a thread always sees what it stored itself.
    @usableFromInline let owner = Atomic<UInt>(0)

    /// Writes that were called from inside the body that is on the exclusive side now.
    let postponed = PostponedWrites()

    /// Whether `postponed` holds anything for the thread on the exclusive side, which alone changes it.
    @usableFromInline let hasPostponed = Atomic<Bool>(false)

    /// Marks the blocks from which waiting for `queue` would be waiting for oneself.
    let marker = DispatchSpecificKey<Bool>()
    private let target: DispatchQueue?

    init(label: String, target: DispatchQueue?) {
        queue = DispatchQueue(label: label, attributes: .concurrent, target: target)
        lanes = .allocate()
        runner = DispatchQueue(label: label + ".runner", target: queue)
        line = DispatchQueue(label: label + ".line", attributes: .concurrent)
        // The global queues never make anyone wait.
        self.target = target.flatMap { $0.label.hasPrefix("com.apple.root.") ? nil : $0 }
        queue.setSpecific(key: marker, value: true)
        self.target?.setSpecific(key: marker, value: true)
    }

    deinit {
        // Both queues may live on, and a later cache's marker may lie at the same address.
        queue.setSpecific(key: marker, value: nil)
        target?.setSpecific(key: marker, value: nil)
        lanes.deallocate()
    }

    // MARK: Reading

    /// Runs `body` beside other reads and never beside a write.
    ///
    /// `body` gets the lane that it owns meanwhile.
    @inlinable
    @inline(__always)
    func read<R>(_ body: (_ lane: Int) -> R) -> R {
        let token = currentThreadToken()
        if let lane = lanes.enter(token) {
            if gate.load(ordering: .sequentiallyConsistent) & BarrierGate.closedToReaders == 0 {
                let result = body(lane)
                lanes.leave(lane)
                return result
            }
            lanes.leave(lane)
        }
        return readSlowly(token, body)
    }

    @usableFromInline
    @inline(never)
    func readSlowly<R>(_ token: UInt, _ body: (_ lane: Int) -> R) -> R {
        // Invariant 3. Nobody else is past the gate while this thread is exclusive, so any lane's tally is its own.
        if owner.load(ordering: .relaxed) == token { return body(0) }
        if let lane = lanes.lane(of: token) { return body(lane) }

        var backoff = Backoff()
        while !backoff.isExhausted {
            let state = gate.load(ordering: .sequentiallyConsistent)
            if BarrierGate.hasBarrierTickets(state) { break }
            if let lane = enter(token, passing: state) {
                defer { lanes.leave(lane) }
                return body(lane)
            }
            backoff.pause()
        }
        return readInOrder(token, body)
    }

    /// Runs `body` as a read of the line, for what takes long: a writer that has to wait then sleeps.
    func readInQueueOrder<R>(_ body: (_ lane: Int) -> R) -> R {
        let token = currentThreadToken()
        if owner.load(ordering: .relaxed) == token { return body(0) }
        if let lane = lanes.lane(of: token) { return body(lane) }
        return readInOrder(token, body)
    }

    /// Reads behind what is in the line or queued already.
    private func readInOrder<R>(_ token: UInt, _ body: (_ lane: Int) -> R) -> R {
        if isAtHeadOfLine(token) { return readInTurn(token, body) }
        if let newest = calls.newestUnfinished { runCalls(through: newest) }
        return line.sync { readInTurn(token, body) }
    }

    /// Reads from a block of the line: no barrier of the line runs now, only writers in place have to be waited for.
    func readInTurn<R>(_ token: UInt, _ body: (_ lane: Int) -> R) -> R {
        var backoff = Backoff()
        var holdsTicket = false
        defer { if holdsTicket { gate.subtract(BarrierGate.readTicket, ordering: .releasing) } }
        while true {
            if let lane = enter(token, passing: gate.load(ordering: .sequentiallyConsistent)) {
                defer { lanes.leave(lane) }
                return body(lane)
            }
            if backoff.isExhausted, !holdsTicket {
                gate.add(BarrierGate.readTicket, ordering: .sequentiallyConsistent)
                holdsTicket = true
            }
            backoff.pause()
        }
    }

    /// Announces the thread unless a writer is in; tickets are the caller's concern.
    private func enter(_ token: UInt, passing state: UInt64) -> Int? {
        guard state & BarrierGate.exclusive == 0, let lane = lanes.enter(token) else { return nil }
        if gate.load(ordering: .sequentiallyConsistent) & BarrierGate.exclusive == 0 { return lane }
        lanes.leave(lane)
        return nil
    }

    // MARK: Writing

    /// Runs `body` alone, on the caller's thread where nothing is queued or running.
    ///
    /// - Returns: `nil`, without having run `body`, when the caller is inside another body of this queue: pass the write
    ///   to `postpone` then.
    @inlinable
    @inline(__always)
    func write<R>(_ body: () -> R) -> R? {
        let token = currentThreadToken()
        let (isIn, _) = gate.compareExchange(
            expected: BarrierGate.open,
            desired: BarrierGate.exclusive,
            ordering: .sequentiallyConsistent
        )
        guard isIn, lanes.areAllFree() else { return writeSlowly(token, isIn, body) }
        owner.store(token, ordering: .relaxed)
        let result = body()
        leaveExclusive()
        return result
    }

    /// Runs `body` alone as a barrier of the line, for what takes long: hooks, and work on many entries.
    ///
    /// - Returns: As `write`.
    @usableFromInline
    func writeAsBarrier<R>(_ body: () -> R) -> R? {
        let token = currentThreadToken()
        guard !isInside(token) else { return nil }
        return writeInOrder(token, holdsTicket: false, body)
    }

    @usableFromInline
    @inline(never)
    func writeSlowly<R>(_ token: UInt, _ isExclusive: Bool, _ body: () -> R) -> R? {
        if isExclusive {
            guard lanes.lane(of: token) == nil else {
                // Invariant 3: waiting for the lanes would be waiting for a frame of this very stack.
                gate.subtract(BarrierGate.exclusive, ordering: .releasing)
                return nil
            }
            return runExclusively(token, body)
        }
        guard !isInside(token) else { return nil }

        var backoff = Backoff()
        while !backoff.isExhausted {
            let state = gate.load(ordering: .relaxed)
            if BarrierGate.hasTickets(state) { return writeInOrder(token, holdsTicket: false, body) }
            if becomeExclusive(passing: state) { return runExclusively(token, body) }
            backoff.pause()
        }
        gate.add(BarrierGate.barrierTicket, ordering: .sequentiallyConsistent)
        return writeInOrder(token, holdsTicket: true, body)
    }

    private func writeInOrder<R>(_ token: UInt, holdsTicket: Bool, _ body: () -> R) -> R {
        defer { if holdsTicket { gate.subtract(BarrierGate.barrierTicket, ordering: .releasing) } }
        if isAtHeadOfLine(token) { return writeInTurn(token, body) }
        return asBarrierOfLine(token) {
            let spent = calls.newestUnfinished.map { calls.run(through: $0) }
            return (writeInTurn(token, body), spent)
        }.0
    }

    /// Runs the queued calls up to a number in their order, or waits until they have run.
    func runCalls(through number: UInt64) {
        let token = currentThreadToken()
        _ = asBarrierOfLine(token) { calls.run(through: number) }
    }

    /// Runs `body` as a barrier of the line; what it returns is released after it.
    private func asBarrierOfLine<R>(_ token: UInt, _ body: () -> R) -> R {
        line.sync(flags: .barrier) {
            lineOwner.store(token, ordering: .relaxed)
            defer { lineOwner.store(0, ordering: .relaxed) }
            return body()
        }
    }

    /// Writes from a barrier of the line, waiting out readers in the lanes and a writer in place.
    func writeInTurn<R>(_ token: UInt, _ body: () -> R) -> R {
        var backoff = Backoff()
        var holdsTicket = false
        while !becomeExclusive(passing: gate.load(ordering: .relaxed)) {
            if backoff.isExhausted, !holdsTicket {
                gate.add(BarrierGate.barrierTicket, ordering: .sequentiallyConsistent)
                holdsTicket = true
            }
            backoff.pause()
        }
        defer { if holdsTicket { gate.subtract(BarrierGate.barrierTicket, ordering: .releasing) } }
        return runExclusively(token, body)
    }

    /// Sets the exclusive bit if nobody has it.
    ///
    /// Acquires what the last writer did; readers follow in `runExclusively`.
    private func becomeExclusive(passing state: UInt64) -> Bool {
        guard state & BarrierGate.exclusive == 0 else { return false }
        return gate.compareExchange(
            expected: state,
            desired: state | BarrierGate.exclusive,
            ordering: .sequentiallyConsistent
        ).exchanged
    }

    /// Waits for the announced readers, then runs `body`, then opens the gate.
    private func runExclusively<R>(_ token: UInt, _ body: () -> R) -> R {
        for lane in lanes.indices {
            var backoff = Backoff()
            while !lanes.isFree(lane) { backoff.pause() }
        }
        owner.store(token, ordering: .relaxed)
        let result = body()
        leaveExclusive()
        return result
    }

    @inlinable
    @inline(__always)
    func leaveExclusive() {
        if hasPostponed.load(ordering: .relaxed) { return leaveExclusiveAndCatchUp() }
        owner.store(0, ordering: .relaxed)
        gate.subtract(BarrierGate.exclusive, ordering: .releasing)
    }

    // MARK: Re-entrance

    /// Keeps a write that was called from inside a body until the outermost call has left, in order.
    ///
    /// From inside a read nothing marks the outermost call, so there it is queued, and later calls of this thread line up
    /// behind it.
    @usableFromInline
    func postpone(_ work: @escaping @Sendable () -> Void) {
        if owner.load(ordering: .relaxed) == currentThreadToken() {
            postponed.add(work)
            hasPostponed.store(true, ordering: .relaxed)
        } else {
            enqueue(ticket: BarrierGate.barrierTicket, work)
        }
    }

    @usableFromInline
    @inline(never)
    func leaveExclusiveAndCatchUp() {
        // Claimed before the gate opens: whoever enters next postpones writes of its own.
        hasPostponed.store(false, ordering: .relaxed)
        let isOutermost = postponed.claim(by: currentThreadToken())
        owner.store(0, ordering: .relaxed)
        gate.subtract(BarrierGate.exclusive, ordering: .releasing)
        // The writes may postpone more; those land behind the claimed ones, so a chain of them does not recurse.
        if isOutermost { postponed.runClaimed(by: currentThreadToken()) }
    }

    /// Whether this thread is inside a body of this queue further up its stack.
    func isInside(_ token: UInt) -> Bool {
        owner.load(ordering: .relaxed) == token || lanes.lane(of: token) != nil
    }

    /// Whether this thread makes all others wait, or all writes: whatever it waits for must not be in their hands.
    func holdsUpOthers(_ token: UInt) -> Bool {
        isInside(token) || isAtHeadOfLine(token)
    }

    /// Whether this thread runs a barrier of the line further up its stack.
    func isAtHeadOfLine(_ token: UInt) -> Bool {
        lineOwner.load(ordering: .relaxed) == token
    }
}
