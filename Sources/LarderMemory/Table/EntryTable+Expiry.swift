/// The lives of entries: when they end, and the wheel that finds those that have ended.
extension EntryTable {
    /// Gives an entry the end that its life and the age limit set.
    func setDates(_ slot: Int, written: Int64, expiry: Int64) {
        let deadline = min(expiry, ageDeadline(written: written))
        if deadline == .max {
            unsafe records.header(slot).pointee.end = EntryEnd(endlessSince: written)
        } else {
            unsafe records.header(slot).pointee.end = EntryEnd(at: deadline)
            unsafe records.details(slot).pointee.written = written
            unsafe records.details(slot).pointee.expiry = expiry
        }
    }

    /// When an entry written at a time is too old: without a limit never, however long ago that was.
    func ageDeadline(written: Int64) -> Int64 {
        ageLimit == .max ? .max : written.addingSaturating(ageLimit)
    }

    /// Why the entry is dead at `now`; `nil` while it lives.
    @usableFromInline
    func cause(ofDeath slot: Int, at now: Int64) -> RemovalCause? {
        if unsafe records.header(slot).pointee.end.hasPassed(at: now) {
            return now >= records.dates(slot).expiry ? .expired : .evictedByAge
        }
        guard idleLimit != .max else { return nil }
        return now >= AccessStamp.time(records.stamp(slot)).addingSaturating(idleLimit) ? .evictedByIdleness : nil
    }

    /// Takes dead slots out of the wheel, within a budget of steps.
    ///
    /// The caller removes them.
    ///
    /// Entries used or replaced since they were scheduled, and those due within the present tick but not yet, are scheduled
    /// again.
    @usableFromInline
    mutating func takeDead(now: Int64, budget: inout Int) -> [(slot: Int, cause: RemovalCause)] {
        var dead: [(slot: Int, cause: RemovalCause)] = []
        var alive: [Int] = []
        while let slot = wheel.popDue(now: now, budget: &budget) {
            if let cause = cause(ofDeath: slot, at: now) { dead.append((slot, cause)) } else { alive.append(slot) }
        }
        // After the loop: an entry due in the present tick would come up again at once.
        for slot in alive { wheel.schedule(slot, due: dueTime(slot)) }
        return dead
    }

    /// A time before which no entry is dead; `nil` when none will ever be.
    var earliestDue: Int64? { wheel.earliestDue }

    /// Notes for which time the timer has been set.
    mutating func timerWasSet(for due: Int64?) {
        timerDue = due ?? .max
        earliestNewDue = .max
    }

    func dueTime(_ slot: Int) -> Int64 {
        let idle = idleLimit == .max ? .max : AccessStamp.time(records.stamp(slot)).addingSaturating(idleLimit)
        return unsafe min(records.header(slot).pointee.end.deadline, idle)
    }
}
