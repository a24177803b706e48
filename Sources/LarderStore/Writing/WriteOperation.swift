internal import Synchronization

/// One queued write; what it does never changes.
final class WriteOperation: Sendable {
    enum Action: Sendable {
        /// Store key and payload, which lie one after the other in `content`.
        case put(RecordHeader, content: [UInt8])

        /// Remove whatever is stored under the hash.
        case remove

        /// Remove the record if it is still the one that was found damaged.
        case discard(sequence: UInt64)

        /// Stamp a record that claims to come from the future with the time of its discovery.
        case restamp(sequence: UInt64)

        /// Give the table its first instance, unless it has one by now.
        case register(TableState)

        /// Make the instance unreachable; the table goes on under the operation's own.
        case clear(TableState, dead: UInt32)

        /// Remove everything that has expired.
        case removeExpired

        /// Evict until no more than this many bytes of pages are in use.
        case trim(bytes: Int)

        /// Move to a copy of the data without the space that is free.
        case compact

        /// Take over the larger map of another process, which any transaction does that meets it.
        case adoptMap

        /// Tell the owner that a table was emptied, and count the writes that were let in and are lost with it.
        case emptied(StoreRecovery, lost: Int)

        /// Give the file up, which a read has found to be damaged.
        case setAside(String)
    }

    let action: Action
    let hash: RecordHash
    let instance: UInt32
    /// The table of a write that a caller asked for.
    let table: TableState?
    private let ownKey: [UInt8]
    private let admission: Admission?

    // Both are set under the queue's lock, which whoever takes the operation holds later: relaxed is enough.

    /// Its place in the queue, from one; zero if it was never queued.
    let ticket = Atomic<UInt64>(0)

    /// The place of the next write of the same record; zero while there is none.
    let successor = Atomic<UInt64>(0)

    init(
        _ action: Action,
        hash: RecordHash,
        instance: UInt32,
        key: [UInt8],
        table: TableState? = nil,
        admission: Admission?
    ) {
        self.action = action
        self.hash = hash
        self.instance = instance
        self.table = table
        ownKey = key
        self.admission = admission
    }

    /// An operation on the store or a table rather than on one record.
    convenience init(_ action: Action, instance: UInt32 = 0) {
        self.init(action, hash: .zero, instance: instance, key: [], admission: nil)
    }

    /// A removal that stands in for another write, or for one of an earlier opening.
    convenience init(removing hash: RecordHash, like operation: WriteOperation? = nil) {
        self.init(
            .remove,
            hash: hash,
            instance: operation?.instance ?? 0,
            key: operation?.key ?? [],
            table: operation?.table,
            admission: nil
        )
    }

    /// The key of the record; empty for an operation on more than one.
    var key: [UInt8] {
        switch action {
        case .put(let header, let content): Array(content[..<Int(header.keyLength)])
        default: ownKey
        }
    }

    /// Whether reads must see the operation before it is committed.
    var isVisible: Bool {
        switch action {
        case .put, .remove: true
        default: false
        }
    }

    /// Whether it is carried out after the commit of its batch, and changes nothing in that.
    var isCommand: Bool {
        switch action {
        case .removeExpired, .trim, .compact, .emptied, .setAside: true
        default: false
        }
    }

    /// Takes the room the operation has in the queue, to be given back: it is settled.
    func takeRoom() -> Int {
        admission?.take() ?? 0
    }

    /// What the operation adds to a batch.
    var bytes: Int {
        switch action {
        case .put(let header, _): header.recordBytes
        default: 64 + ownKey.count
        }
    }
}

/// Room in the queue, given back when its write is settled, or when the last holder lets go of it.
final class Admission: Sendable {
    private let room: QueueRoom
    private let bytes: Int
    private let isReleased = Atomic<Bool>(false)

    init(_ room: QueueRoom, bytes: Int) {
        self.room = room
        self.bytes = bytes
    }

    deinit {
        let bytes = take()
        if bytes > 0 { room.giveBack(bytes) }
    }

    /// The room, which is the caller's to give back; zero from the second time on.
    func take() -> Int {
        isReleased.exchange(true, ordering: .relaxed) ? 0 : bytes
    }
}
