internal import Glibc
internal import LMDB
internal import Synchronization
internal import Threading

/// Readers that are renewed for each lookup: found without a lock, made on demand.
///
/// A slot is claimed with one compare-and-exchange, beginning at a place of the thread's own, so that threads seldom meet.
final class ReaderPool: Sendable {
    /// Who may touch a slot, and in the upper bits how often it was claimed: so that one long read can be told from many.
    private struct SlotState {
        static let idle: UInt64 = 0
        static let busy: UInt64 = 1
        static let closed: UInt64 = 2
        static let mask: UInt64 = 3
        static let use: UInt64 = 4
    }

    /// One reader and who may touch it: the thread that moved the state from idle.
    private final class Slot: @unchecked Sendable {
        // because: `reader` is touched only between claiming the slot and letting it go, both of which order memory.
        let state = Atomic<UInt64>(SlotState.idle)
        var reader: Reader?
        /// The pool's epoch when the reader was made: one of an earlier epoch reads a file that was set aside.
        var epoch: UInt64 = 0
        /// Slots are neighbours in memory: without a gap two threads would pass a cache line to and fro.
        private let gap = InlineArray<13, UInt64>(repeating: 0)

        func claim(_ next: UInt64) -> Bool {
            let found = state.load(ordering: .relaxed)
            guard found & SlotState.mask == SlotState.idle else { return false }
            return state.compareExchange(
                expected: found,
                desired: (found &+ SlotState.use) | next,
                ordering: .acquiringAndReleasing
            ).exchanged
        }

        /// Lets go of a slot that was claimed.
        func release() {
            // Nobody else changes it meanwhile.
            state.store(state.load(ordering: .relaxed) & ~SlotState.mask, ordering: .releasing)
        }

        var isClosed: Bool { state.load(ordering: .acquiring) & SlotState.mask == SlotState.closed }
    }

    private let slots: [Slot]
    private let environment: WeakEnvironment
    private let opened = Atomic<Int>(0)
    /// Set while the pool moves to another environment: worth waiting for.
    private let isPaused = Atomic<Bool>(false)
    /// Counts the environments that were given up: their readers are not used again.
    private let epoch = Atomic<UInt64>(0)

    init(_ environment: Environment, count: Int) {
        self.environment = WeakEnvironment(environment)
        slots = (0..<count).map { _ in Slot() }
    }

    /// How many reader slots were taken so far.
    var count: Int { opened.load(ordering: .relaxed) }

    /// Runs `body` in the newest snapshot; `nil` if the pool is closed or every reader stays busy.
    func read<R>(_ body: (borrowing ReadTransaction) throws(LMDBError) -> R) throws(LMDBError) -> R? {
        guard let slot = claim() else { return nil }
        defer { slot.release() }
        let epoch = epoch.load(ordering: .acquiring)
        if slot.reader == nil || slot.epoch != epoch {
            slot.reader = nil
            slot.reader = try open()
            slot.epoch = epoch
        }
        guard let reader = slot.reader else { return nil }
        do throws(LMDBError) {
            return try body(reader.begin())
        } catch {
            // The transaction may be what is broken: the next claim makes a new one.
            slot.reader = nil
            throw error
        }
    }

    private func open() throws(LMDBError) -> Reader? {
        guard let environment = environment.value else { return nil }
        defer { opened.add(1, ordering: .relaxed) }
        do throws(LMDBError) {
            return try Reader(environment)
        } catch {
            guard error.code == .readersFull else { throw error }
            try environment.clearStaleReaders()
            return try Reader(environment)
        }
    }

    private func claim() -> Slot? {
        // The low bits of a thread's address are the same for all of them.
        let start = Int(truncatingIfNeeded: (UInt64(pthread_self()) &* 0x9E37_79B9_7F4A_7C15) >> 40) % slots.count
        var attempt = 0
        // Moving takes about a millisecond; the second it may take at most is for a machine that is busy with others.
        while attempt < 64 || (attempt < 20_000 && isPaused.load(ordering: .relaxed)) {
            defer { attempt += 1 }
            var isClosed = false
            for offset in 0..<slots.count {
                let index = start + offset
                let slot = slots[index < slots.count ? index : index - slots.count]
                if slot.claim(SlotState.busy) { return slot }
                isClosed = slot.isClosed
            }
            if isClosed { return nil }
            // A lookup takes about a microsecond: someone is done soon, unless the processor is taken.
            if attempt < 8 { sched_yield() } else { usleep(50) }
        }
        return nil
    }

    /// Ends every reader, waiting for those at work, calls `body`, and goes on in another environment.
    ///
    /// Lookups wait meanwhile, so `body` must be quick. Returns `false`, and leaves everything as it is, if a read does not
    /// end in time, the pool is closed, or `body` says no.
    func move(to next: Environment, deadline: Deadline, _ body: () -> Bool) -> Bool {
        isPaused.store(true, ordering: .relaxed)
        var claimed: [Slot] = []
        defer {
            for slot in claimed { slot.release() }
            isPaused.store(false, ordering: .relaxed)
        }
        for slot in slots {
            while !slot.claim(SlotState.busy) {
                guard !slot.isClosed, !deadline.hasPassed else { return false }
                usleep(50)
            }
            claimed.append(slot)
            slot.reader = nil
        }
        guard body() else { return false }
        environment.replace(with: next)
        opened.store(0, ordering: .relaxed)
        return true
    }

    /// Goes on in another environment, or in none, without waiting for the reads at work.
    ///
    /// Those end in the old one, which stays open, whatever has become of its files, until their slots are used again or
    /// the pool is closed. With none, lookups are misses.
    func abandon(for next: Environment?) {
        environment.replace(with: next)
        epoch.add(1, ordering: .releasing)
        opened.store(0, ordering: .relaxed)
        dropIdle()
    }

    /// Ends the readers that nobody is using; they are made again when they are needed.
    func dropIdle() {
        for slot in slots where slot.claim(SlotState.busy) {
            slot.reader = nil
            slot.release()
        }
    }

    /// The slots that are being read in, and a number each that is another one for every read.
    var active: [Int: UInt64] {
        var active: [Int: UInt64] = [:]
        for (index, slot) in slots.enumerated() {
            let state = slot.state.load(ordering: .relaxed)
            if state & SlotState.mask == SlotState.busy { active[index] = state }
        }
        return active
    }

    /// Ends every reader, waiting for those at work; returns whether all have ended.
    func close(deadline: Deadline) -> Bool {
        var isClosed = true
        for slot in slots {
            while !slot.claim(SlotState.closed) {
                if slot.isClosed { break }
                guard !deadline.hasPassed else {
                    isClosed = false
                    break
                }
                usleep(50)
            }
            if slot.isClosed { slot.reader = nil }
        }
        return isClosed
    }
}

/// The environment without keeping it open: its life ends with the writer, not with the last table someone holds.
private final class WeakEnvironment: Sendable {
    private let box: Lock<Box>

    private struct Box {
        weak var environment: Environment?
    }

    init(_ environment: Environment) {
        box = Lock(Box(environment: environment))
    }

    func replace(with environment: Environment?) {
        box.withLock { $0.environment = environment }
    }

    var value: Environment? { box.withLock { $0.environment } }
}
