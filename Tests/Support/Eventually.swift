internal import Threading

extension Duration {
    /// How long a test waits for what must come: so long that only a hang, no busy machine, lets it pass.
    package static var patience: Duration { .seconds(180) }
}

/// Waits for what another thread does soon and nothing announces.
///
/// - Returns: Whether the condition came true.
package func eventually(_ condition: () throws -> Bool) rethrows -> Bool {
    let end = Deadline.after(.patience)
    while try !condition() {
        guard !end.hasPassed else { return false }
        idle(for: .milliseconds(1))
    }
    return true
}

/// As the other form, without holding up a thread of the pool.
package func eventually(_ condition: () throws -> Bool) async rethrows -> Bool {
    let end = Deadline.after(.patience)
    while try !condition() {
        guard !end.hasPassed else { return false }
        try? await Task.sleep(for: .milliseconds(2))
    }
    return true
}

/// Holds up the thread for real time: where another one is to have a chance, or a soak to last.
package func idle(for duration: Duration) {
    Lock(false).wait(until: { $0 }, deadline: .after(duration)) { _, _ in }
}
