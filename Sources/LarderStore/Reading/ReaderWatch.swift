internal import LMDB
internal import Threading

/// Finds reads that go on for too long, by looking now and then which ones are going on.
///
/// A read is not dated, for that would cost every lookup what only a rare one needs: its age counts from when it was first
/// seen. So one that begins while nothing is written is noticed with the next commit, before which it does no harm.
struct ReaderWatch {
    private struct Seen {
        let use: UInt64
        let since: UInt64
        var isReported = false
    }

    struct Finding: Equatable {
        /// The age of the oldest read.
        var oldest = Duration.zero
        /// The ages of those that are too old and were not reported before.
        var late: [Duration] = []
    }

    private var seen: [Int: Seen] = [:]
    private var next: UInt64 = 0

    /// When to look again, if nothing is written meanwhile; never if nobody is reading.
    private(set) var due = Deadline.never

    /// Takes in which slots are active, each with the number of its read, unless it is too soon to look again.
    mutating func look(
        _ active: () -> [Int: UInt64],
        now: UInt64,
        limit: Duration
    ) -> Finding? {
        guard limit > .zero, now >= next else { return nil }
        let pause = limit / 4
        next = now &+ UInt64(clamping: pause.clampedNanoseconds)
        let active = active()
        var finding = Finding()
        seen = active.reduce(into: [:]) { kept, slot in
            var entry = seen[slot.key] ?? Seen(use: slot.value, since: now)
            if entry.use != slot.value { entry = Seen(use: slot.value, since: now) }
            let age = Duration.nanoseconds(Int64(clamping: now &- entry.since))
            finding.oldest = max(finding.oldest, age)
            if age > limit, !entry.isReported {
                entry.isReported = true
                finding.late.append(age)
            }
            kept[slot.key] = entry
        }
        due = active.isEmpty ? .never : .after(max(pause, .milliseconds(10)))
        return finding
    }
}

extension Writer {
    /// Reports reads that keep freed pages from being used again.
    mutating func watchReaders() {
        let now = core.faults.monotonicNanoseconds?() ?? monotonicNanoseconds()
        let readers = core.readers
        guard let finding = watch.look({ readers.active }, now: now, limit: configuration.slowReadAge) else { return }
        core.published.withLock { $0.oldestReaderAge = finding.oldest }
        core.counters.slowReads.count(UInt64(finding.late.count))
        for age in finding.late { core.events.onSlowRead?(age) }
    }
}
