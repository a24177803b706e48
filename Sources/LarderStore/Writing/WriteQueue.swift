internal import Synchronization
internal import Threading

/// The writes on their way to the writer, and what reads see of them meanwhile.
///
/// The order of `enqueue` is the order of effect. An operation stays visible to reads until its commit has succeeded, or
/// for good if not even the removal of the older record could be committed.
final class WriteQueue: Sendable {
    struct Batch {
        var operations: [WriteOperation] = []
        /// Everything up to here is settled once the batch is.
        var ticket: UInt64 = 0
    }

    struct State {
        /// `nil` where an operation was taken, so that it is not held here any longer than by the writer.
        var waiting: [WriteOperation?] = []
        /// Where the operations not yet taken begin; the array is cut once half of it is behind.
        var head = 0
        var newest: [RecordHash: WriteOperation] = [:]
        var lastTicket: UInt64 = 0
        /// The place of the last operation that the writer has taken.
        var takenTicket: UInt64 = 0
        var settledTicket: UInt64 = 0
        var nextInstance: UInt32
        var closeDeadline: Deadline?
        var isAccepting = true
        var isWriterWaiting = false
        var isFinished = false
        var failure: StoreError?
        var flushes: [(ticket: UInt64, resume: @Sendable (StoreError?) -> Void)] = []
        /// What the threads that are blocked in a flush wait for, in their order, until it is settled.
        var awaited: [UInt64] = []
        /// How many flushes waited when the last batch was settled: as many may come again.
        var expectedFlushes = 0
        var isGathering = false

        var count: Int { waiting.count - head }

        /// The flushes that wait, on a thread or with a closure to call.
        ///
        /// A thread whose flush is settled does not count, even before it has woken up.
        var waitingFlushes: Int { awaited.count + flushes.count }

        /// Whether the writer need not wait for more to come.
        var isGathered: Bool { waitingFlushes >= expectedFlushes || closeDeadline != nil }
    }

    let state: Lock<State>
    let room: QueueRoom
    let seed: HashSeed
    /// Whether the numbers of instances in the file are for the writer to give.
    let isShared: Bool
    /// How many records reads must look up here first; lets them pass by without the lock when there are none.
    let visible = Atomic<Int>(0)
    /// How often reads were let look at the disk for what was committed.
    let publications = Atomic<UInt64>(0)

    /// Above every number of an instance in the file: two billion clears away from them.
    private static let firstOfShared: UInt32 = 1 << 31

    init(limit: Int, seed: HashSeed, nextInstance: UInt32, isShared: Bool) {
        room = QueueRoom(limit: limit)
        self.seed = seed
        self.isShared = isShared
        let nextInstance = isShared ? Self.firstOfShared : nextInstance
        state = Lock(State(nextInstance: nextInstance))
    }

    /// Queues a prepared write; a closed queue ignores it.
    func enqueue(_ write: PreparedWrite) {
        append { state in
            let table = write.table
            let instance = table.queued
            let operation: WriteOperation
            switch write.kind {
            case .removeAll:
                operation = clear(table, &state)
            case .put(var header, let content):
                header.instance = instance
                // Safety: bytes have no padding.
                let key = unsafe content.span.bytes.extracting(first: Int(header.keyLength))
                operation = WriteOperation(
                    .put(header, content: content),
                    hash: instance == write.instance ? write.hash : seed.hash(instance: instance, key: key),
                    instance: instance,
                    key: [],
                    table: table,
                    admission: write.admission
                )
            case .remove(let key):
                let hash = instance == write.instance ? write.hash : seed.hash(instance: instance, key: key)
                if isNeedless(write, hash, state) { return false }
                if write.excess != nil, room.isExceeded { return empty(table, &state) }
                operation = WriteOperation(
                    .remove,
                    hash: hash,
                    instance: instance,
                    key: key,
                    table: table,
                    admission: write.admission
                )
            }
            return push(operation, &state)
        }
    }

    /// Gives the table a new instance under the queue's lock, so that no write falls between.
    func clear(_ table: TableState, _ state: inout State) -> WriteOperation {
        let dead = table.queued
        let place = nextPlace(&state)
        table.clear(place)
        return WriteOperation(.clear(table, dead: dead), instance: place.queued)
    }

    private func nextPlace(_ state: inout State) -> TableState.Place {
        defer { state.nextInstance += 1 }
        return TableState.Place(queued: state.nextInstance, stored: isShared ? 0 : state.nextInstance)
    }

    /// Queues an operation of the store itself.
    func enqueue(_ operation: WriteOperation) {
        append { push(operation, &$0) }
    }

    /// Creates the state of a table that is not stored yet and queues its registration.
    func register(name: String, keyKind: String) -> TableState {
        let (table, wakes) = state.withLock { state in
            let table = TableState(name: name, keyKind: keyKind, place: nextPlace(&state))
            return (table, push(WriteOperation(.register(table), instance: table.queued), &state))
        }
        if wakes { state.notifyAll() }
        return table
    }

    /// Has `body` push operations if the queue is open, and wakes the writer if it says so.
    private func append(_ body: (inout State) -> Bool) {
        if state.withLock({ $0.isAccepting && body(&$0) }) { state.notifyAll() }
    }

    /// Adds an operation at the end; returns whether the writer is to be woken.
    func push(_ operation: WriteOperation, _ state: inout State) -> Bool {
        state.waiting.append(operation)
        state.lastTicket += 1
        operation.ticket.store(state.lastTicket, ordering: .relaxed)
        if operation.isVisible {
            let older = state.newest.updateValue(operation, forKey: operation.hash)
            older?.successor.store(state.lastTicket, ordering: .relaxed)
            visible.store(state.newest.count, ordering: .releasing)
        }
        defer { state.isWriterWaiting = false }
        return state.isWriterWaiting
    }

    /// The newest queued write of a record, which hides whatever is stored.
    func pending(_ hash: RecordHash) -> WriteOperation? {
        guard visible.load(ordering: .acquiring) > 0 else { return nil }
        return state.withLock { $0.newest[hash] }
    }
}
