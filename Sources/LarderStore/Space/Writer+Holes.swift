internal import LMDB

/// Giving the space of free pages back while the store is open.
extension Writer {
    /// Shorter runs cost more time than their space is worth.
    private static var shortestRun: Int { 16 }
    private static var slice: Duration { .milliseconds(2) }

    /// Punches for a moment; the schedule says whether and when to go on.
    mutating func returnSpace() {
        guard punch(minimumPages: Self.shortestRun, within: Self.slice) == .unfinished else { return }
        space.continueNow()
    }

    /// Punches whatever can be punched, because a caller asked for it.
    mutating func returnAllSpace() {
        guard space.isSupported else { return }
        while core.queue.closeDeadline == nil {
            guard punch(minimumPages: 4, within: .milliseconds(50)) == .unfinished else { return }
        }
    }

    private enum Progress {
        case unfinished
        case finished
    }

    private mutating func punch(minimumPages: Int, within duration: Duration) -> Progress {
        guard damage == nil else { return .finished }
        do throws(LMDBError) {
            try announce()
            let outcome = try environment.punchHoles(minimumPages: minimumPages, within: duration)
            core.counters.returnedBytes.count(UInt64(outcome.punchedBytes))
            space.isSupported = outcome.isSupported
            guard outcome.isDone else { return .unfinished }
            let pageBytes = environment.pageSize
            if outcome.recentPages > Self.shortestRun, !space.hasRenewed {
                // What the last commit freed is old enough after one more.
                space.hasRenewed = true
                try work { _, _, _, _ throws(LMDBError) in }
                return .unfinished
            }
            settle(pinned: outcome.pinnedPages * pageBytes)
        } catch {
            // No harm is done: the pages stay free and are used again.
            _ = recover(from: error)
            settle(pinned: 0)
        }
        publish()
        return .finished
    }

    private mutating func settle(pinned: Int) {
        space.settle(
            allocated: environment.statistics.allocatedBytes,
            used: usedPages * environment.pageSize,
            pinned: pinned
        )
    }
}
