internal import Synchronization

/// One queued write, immutable from the moment it is queued.
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

        /// Give the table its first instance.
        case register(TableState)

        /// Make the instance unreachable; the table goes on under the operation's own.
        case clear(TableState, dead: UInt32)

        /// Remove everything that has expired.
        case removeExpired

        /// Evict until no more than this many bytes of pages are in use.
        case trim(bytes: Int)

        /// Move to a copy of the data without the space that is free.
        case compact
    }

    let action: Action
    let hash: RecordHash
    let instance: UInt32
    let key: [UInt8]
    private let admission: Admission?

    init(_ action: Action, hash: RecordHash, instance: UInt32, key: [UInt8], admission: Admission?) {
        self.action = action
        self.hash = hash
        self.instance = instance
        self.key = key
        self.admission = admission
    }

    /// An operation on the store or a table rather than on one record.
    convenience init(_ action: Action, instance: UInt32 = 0) {
        self.init(action, hash: .zero, instance: instance, key: [], admission: nil)
    }

    /// Whether reads must see the operation before it is committed.
    var isVisible: Bool {
        switch action {
        case .put, .remove: true
        default: false
        }
    }

    /// Gives the queue's room back: the operation is settled.
    func release() {
        admission?.release()
    }

    /// What the operation adds to a batch.
    var bytes: Int {
        switch action {
        case .put(let header, _): header.recordBytes
        default: 64 + key.count
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
        release()
    }

    func release() {
        guard !isReleased.exchange(true, ordering: .relaxed) else { return }
        room.giveBack(bytes)
    }
}
