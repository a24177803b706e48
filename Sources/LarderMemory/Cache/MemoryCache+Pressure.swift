internal import Dispatch

extension MemoryCache: PressureObserver {
    /// Responds to memory pressure now, as the cache's `pressureResponse` says.
    ///
    /// When it returns the memory is given back; the hook runs afterwards beside other work.
    ///
    /// - Parameter level: How urgent it is.
    public func handleMemoryPressure(_ level: PressureLevel = .critical) {
        trimAtLength { cache, leftovers in cache.respondInBarrier(to: level, &leftovers) }
        announce(level)
    }

    /// Removes everything, if `clearsOnBackground` says so, and calls the hook.
    ///
    /// There is no background on a server: a host calls this when it knows that it will be idle, or is being drained.
    public func enterBackground() {
        if clearsOnBackground { removeAll() }
        queue.async { [self] in hooks.didEnterBackground?(self) }
    }

    func receiveMemoryPressure(_ level: PressureLevel) {
        enqueueTrim({ $0.respondInBarrier(to: level, &$1) }) { [self] in announce(level) }
    }

    private func announce(_ level: PressureLevel) {
        queue.async { [self] in hooks.didReceiveMemoryPressure?(self, level) }
    }

    private func respondInBarrier(to level: PressureLevel, _ leftovers: inout Leftovers<Key, Value>) {
        let count = unsafe state.pointee.table.count
        let cost = unsafe state.pointee.table.totalCost
        switch unsafe state.pointee.configuration.pressureResponse.action(at: level) {
        case .nothing: return
        case .removeAll: evictInBarrier(toCost: 0, toCount: 0, cause: .pressure, &leftovers)
        case .trim(let given):
            // What `validate()` refuses counts as zero.
            let fraction = PressureResponse.isFraction(given) ? given : 0
            // Doubles hold these magnitudes closely enough for a fraction.
            evictInBarrier(
                toCost: Int128(Double(cost) * fraction),
                toCount: Int(Double(count) * fraction),
                cause: .pressure,
                &leftovers
            )
        }
    }
}
