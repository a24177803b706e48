internal import Threading

/// What happened, in order, noted from any thread and waited for from any other.
package final class Recorder<Event: Sendable>: Sendable {
    private let notes = Lock<[Event]>([])

    package init() {}

    /// Notes an event.
    package func note(_ event: Event) {
        notes.withLock { $0.append(event) }
        notes.notifyAll()
    }

    /// All events so far.
    package var events: [Event] { notes.withLock { $0 } }

    /// The number of events so far.
    package var count: Int { notes.withLock { $0.count } }

    /// Blocks until there are `count` events or the limit has passed.
    ///
    /// - Returns: Whether there are that many.
    package func waits(for count: Int, within limit: Duration = .patience) -> Bool {
        notes.wait(until: { $0.count >= count }, deadline: .after(limit)) { _, isReady in isReady }
    }

    /// Forgets all events and gives them back.
    @discardableResult
    package func removeAll() -> [Event] {
        notes.withLock { notes in
            defer { notes = [] }
            return notes
        }
    }
}
