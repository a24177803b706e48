internal import Dispatch
internal import Threading

/// The one timer of a cache: set for the next due entry, never running when nothing is due.
final class TrimTimer: Sendable {
    private struct State {
        var source: (any DispatchSourceTimer)?
        /// The due time for which the source is set, in the cache's clock.
        var armedFor: Int64?
        var firings = 0
    }

    private let state = Lock(State())

    /// Firings are at least this far apart, so that a million different lives do not make a million barriers.
    private static let minimumInterval: Int64 = 5_000_000

    /// The longest wait that the timer is set for; it is then set again.
    private static let maximumInterval: Int64 = 86_400_000_000_000

    /// Sets the timer for `due`, unless it is already set for that or sooner.
    ///
    /// `fire` runs on `queue`.
    func arm(due: Int64, now: Int64, queue: DispatchQueue, fire: @escaping @Sendable () -> Void) {
        state.withLock { state in
            if let armedFor = state.armedFor, armedFor <= due { return }
            let wait = min(max(due &- now, Self.minimumInterval), Self.maximumInterval)
            let deadline = DispatchTime.now() + .nanoseconds(Int(wait))
            state.armedFor = due
            if let source = state.source {
                source.schedule(deadline: deadline, leeway: .milliseconds(1))
                return
            }
            let source = DispatchSource.makeTimerSource(queue: queue)
            source.schedule(deadline: deadline, leeway: .milliseconds(1))
            source.setEventHandler(handler: fire)
            // At once: releasing a source that was never activated crashes.
            source.activate()
            state.source = source
        }
    }

    /// Notes that the timer has run out, so that it can be set for a later time.
    func hasFired() {
        state.withLock { state in
            state.armedFor = nil
            state.firings += 1
        }
    }

    /// How often the timer has run out.
    var firings: Int { state.withLock { $0.firings } }

    func cancel() {
        state.withLock { state in
            state.source?.cancel()
            state.source = nil
            state.armedFor = nil
        }
    }
}
