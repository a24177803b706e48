internal import Threading

/// Runs `body` on a thread of its own and waits for it.
///
/// - Returns: Whether it ended within the limit. If not it goes on, as a hung test can do nothing better.
package func finishes(within limit: Duration = .patience, _ body: @escaping @Sendable () -> Void) -> Bool {
    let isDone = Lock(false)
    let thread = try? OSThread {
        body()
        isDone.withLock { $0 = true }
        isDone.notifyAll()
    }
    guard thread != nil else { return false }
    return isDone.wait(until: { $0 }, deadline: .after(limit)) { _, isReady in isReady }
}

/// Runs `body` on `count` threads at once, each with its number, and waits for all.
///
/// - Returns: Whether all ended within the limit.
package func threads(
    _ count: Int,
    within limit: Duration = .patience,
    _ body: @escaping @Sendable (Int) -> Void
) -> Bool {
    let left = Lock(count)
    for number in 0..<count {
        let thread = try? OSThread {
            body(number)
            left.withLock { $0 -= 1 }
            left.notifyAll()
        }
        guard thread != nil else { return false }
    }
    return left.wait(until: { $0 == 0 }, deadline: .after(limit)) { _, isReady in isReady }
}
