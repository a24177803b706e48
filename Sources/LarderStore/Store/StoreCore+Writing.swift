internal import Glibc
internal import Synchronization

/// From a key and bytes to a write that can be queued.
extension StoreCore {
    /// What an operation takes of the queue beyond its bytes: objects, the place in the table of pending writes.
    private static let overhead = 256

    @usableFromInline
    func put(
        _ payload: [UInt8],
        codec: UInt16,
        key: RawSpan,
        in table: TableState,
        cost: Int,
        created: WallTime,
        expires: WallTime?,
        mayWait: Bool = true
    ) throws(StoreError) -> PreparedWrite {
        try requireOpen("write")
        let limit = configuration.effectiveMaxValueBytes
        let contentBytes = key.byteCount + payload.count
        guard contentBytes <= limit else {
            counters.rejectedTooLarge.count()
            throw StoreError(
                .valueTooLarge,
                "Key and value of a write to table \"\(table.name)\" have \(contentBytes) bytes, more than the \(limit) of "
                    + "maxValueBytes: raise it (and perhaps the budget), or store less"
            )
        }
        let compressed = compressed(payload)
        let stored = compressed ?? payload
        var content: [UInt8] = []
        content.reserveCapacity(key.byteCount + stored.count)
        key.append(to: &content)
        content += stored
        var header = RecordHeader(
            contentChecksum: records.seed.checksum(of: content),
            created: created,
            expires: expires ?? .never,
            cost: Int64(cost),
            keyLength: UInt32(key.byteCount),
            payloadLength: UInt32(stored.count),
            codec: codec
        )
        header.isCompressed = compressed != nil
        let waits = configuration.queue.overflow == .wait
        // The writer's own thread cannot wait for itself: its writes (from an error handler) get in beyond the limit, as do
        // those of callers that would wait for each other.
        let answer: QueueRoom.Answer =
            isWriterThread || (waits && !mayWait)
            ? .admitted(queue.room.admitAlways(content.count + Self.overhead))
            : queue.room.admit(content.count + Self.overhead, waits: waits)
        switch answer {
        case .admitted(let admission):
            return prepared(.put(header, content: content), key, table, admission, payloadBytes: payload.count)
        case .full:
            // The write is dropped; what it would have replaced must not be read in its stead.
            counters.droppedQueueFull.count()
            return excessRemoval(of: key, in: table, payloadBytes: payload.count)
        case .closed:
            throw .closed(path)
        }
    }

    @usableFromInline
    func removal(of key: RawSpan, in table: TableState, mayWait: Bool = true) -> PreparedWrite {
        let bytes = key.byteCount + Self.overhead
        let removal = PreparedWrite.Kind.remove(key: key.array)
        guard isUsable else { return prepared(removal, key, table, nil) }
        let drops = configuration.queue.overflow == .drop
        let waits = mayWait && !isWriterThread && !drops
        switch queue.room.admit(bytes, waits: waits) {
        case .admitted(let admission): return prepared(removal, key, table, admission)
        case .full where drops: return excessRemoval(of: key, in: table)
        case .full, .closed: return prepared(removal, key, table, queue.room.admitAlways(bytes))
        }
    }

    /// A removal that a full queue lets in all the same, unless it proves needless.
    private func excessRemoval(of key: RawSpan, in table: TableState, payloadBytes: Int? = nil) -> PreparedWrite {
        let admission = queue.room.admitAlways(key.byteCount + Self.overhead)
        var write = prepared(.remove(key: key.array), key, table, admission, payloadBytes: payloadBytes)
        // Before the look: what is published after this may be what the look has missed.
        let publications = queue.publications.load(ordering: .acquiring)
        write.excess = PreparedWrite.Excess(absentAt: mayHold(key, in: table) ? nil : publications)
        return write
    }

    func removeAll(of table: TableState) -> PreparedWrite {
        prepared(.removeAll, RawSpan(), table, nil)
    }

    private func prepared(
        _ kind: PreparedWrite.Kind,
        _ key: RawSpan,
        _ table: TableState,
        _ admission: Admission?,
        payloadBytes: Int? = nil
    ) -> PreparedWrite {
        let instance = table.queued
        let hash = records.seed.hash(instance: instance, key: key)
        return PreparedWrite(
            table: table,
            kind: kind,
            instance: instance,
            hash: hash,
            admission: admission,
            payloadBytes: payloadBytes
        )
    }

    /// The compressed payload, where that is configured and worth it.
    private func compressed(_ payload: [UInt8]) -> [UInt8]? {
        guard let compression = configuration.compression, payload.count >= compression.threshold.bytes else {
            return nil
        }
        return records.compressor.compressed(payload, level: compression.level)
    }

    @usableFromInline
    func enqueue(_ write: PreparedWrite) {
        guard isUsable else { return }
        queue.enqueue(write)
    }

    @usableFromInline
    func encodingFailure(_ error: any Error, of type: any Any.Type, in table: TableState) -> StoreError {
        StoreError(
            .encodingFailed,
            "A value of type \(type) for table \"\(table.name)\" could not be encoded (\(error)): check its codec",
            cause: error
        )
    }

    @usableFromInline
    func requireOpen(_ action: String) throws(StoreError) {
        try require(usable: action)
        guard !isClosing.load(ordering: .acquiring) else { throw .closed(path) }
    }

    /// Whether the caller is the writer: then it runs an event handler.
    var isWriterThread: Bool { writerThread.load(ordering: .relaxed) == UInt64(pthread_self()) }

    func checkThread(_ call: String) throws(StoreError) {
        guard isWriterThread else { return }
        throw StoreError(
            .calledFromErrorHandler,
            "\(call) was called from an event handler of the store at \(path), whose thread it waits for: call it elsewhere"
        )
    }
}
