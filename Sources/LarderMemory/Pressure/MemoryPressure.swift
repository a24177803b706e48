internal import Dispatch
public import Glibc
internal import Synchronization
internal import Threading

/// The process's memory pressure, passed on to every live memory cache.
///
/// Caches take part by themselves and are not kept alive. What each does is its `pressureResponse`.
public enum MemoryPressure {
    private struct State {
        var sources: [Int32: any DispatchSourceSignal] = [:]
        var observers: [ObjectIdentifier: Observer] = [:]
    }

    private struct Observer {
        weak var cache: (any PressureObserver)?
    }

    private static let state = Lock(State())

    /// Handlers run here, one after another: a burst of signals must not occupy the pool.
    private static let queue = DispatchQueue(label: "larder.memory-pressure")

    /// Set by the C handler until Dispatch has taken the signal over.
    ///
    /// An atomic store is all that a signal handler may do.
    private static let earlySignal = Atomic<Int32>(0)

    /// Takes a signal over as a sign of critical memory pressure.
    ///
    /// Any handler that the process had for the signal is replaced. The process survives the signal from the moment this
    /// returns, also after `stopListening`. Signals in quick succession may count as one. Child processes do not inherit
    /// anything. Listening to a signal twice is the same as once.
    ///
    /// - Parameter signal: The signal's number.
    public static func listen(to signal: Int32 = SIGUSR1) {
        state.withLock { state in
            guard state.sources[signal] == nil else { return }
            // Dispatch installs its handler later, on a thread of its own. Until then the signal would kill the process.
            holdEarlySignal(signal)
            let source = DispatchSource.makeSignalSource(signal: signal, queue: queue)
            source.setEventHandler { send(.critical) }
            source.setRegistrationHandler {
                let early = earlySignal.compareExchange(expected: signal, desired: 0, ordering: .relaxed)
                if early.exchanged { send(.critical) }
            }
            source.setCancelHandler { ignore(signal) }
            source.activate()
            state.sources[signal] = source
        }
    }

    /// Stops listening.
    ///
    /// Later signals are ignored.
    ///
    /// - Parameter signal: The signal's number.
    public static func stopListening(to signal: Int32 = SIGUSR1) {
        state.withLock { state in
            state.sources.removeValue(forKey: signal)?.cancel()
        }
    }

    /// Tells every live cache of memory pressure, as a signal does.
    ///
    /// Returns at once; each cache responds as a barrier of its own queue. For hosts with a source of their own, such as
    /// cgroup events.
    ///
    /// - Parameter level: How urgent it is.
    public static func send(_ level: PressureLevel = .critical) {
        let caches = state.withLock { $0.observers.values.compactMap(\.cache) }
        for cache in caches { cache.receiveMemoryPressure(level) }
    }

    static func register(_ cache: any PressureObserver) {
        state.withLock { $0.observers[ObjectIdentifier(cache)] = Observer(cache: cache) }
    }

    static func unregister(_ cache: any PressureObserver) {
        let identifier = ObjectIdentifier(cache)
        state.withLock { _ = $0.observers.removeValue(forKey: identifier) }
    }

    /// Makes sure that a signal which nobody listens to any more does nothing.
    ///
    /// Dispatch leaves its own handler behind, but nothing says that it must. Runs late: by then somebody may be listening
    /// again, through a source whose handler must stay.
    private static func ignore(_ signal: Int32) {
        state.withLock { state in
            if state.sources[signal] == nil { holdEarlySignal(signal) }
        }
    }

    private static func holdEarlySignal(_ signal: Int32) {
        // Initialised here: inside a signal handler the first use of a static would not be safe.
        earlySignal.store(0, ordering: .relaxed)
        Glibc.signal(signal) { MemoryPressure.earlySignal.store($0, ordering: .relaxed) }
    }
}

/// A cache as the pressure source sees it.
protocol PressureObserver: AnyObject, Sendable {
    /// Responds without blocking the caller.
    func receiveMemoryPressure(_ level: PressureLevel)
}
