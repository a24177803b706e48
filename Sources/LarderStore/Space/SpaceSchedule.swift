internal import Threading

/// When the space of free pages is given back: after much was freed, once the writer has a moment.
///
/// Free pages are soon used again where records come and go, and punching a hole only to fill it wastes both; so it waits
/// for a pause, though not for ever.
struct SpaceSchedule {
    private static let pause = Duration.milliseconds(200)
    private static let patience = Duration.seconds(5)
    private static let leastBytes = 4 << 20

    /// When to punch; never while there is too little to gain.
    private(set) var due = Deadline.never

    /// Whether the file system can punch holes.
    var isSupported = true

    /// Whether a commit was made to have the newest free pages grow old enough.
    var hasRenewed = false

    /// What could be gained but was left over: runs that are too short.
    private var remainder = 0
    private var latest: Deadline?

    /// Takes in the sizes after a commit.
    mutating func note(allocated: Int, used: Int) {
        let free = max(allocated - used, 0)
        remainder = min(remainder, free)
        guard isSupported, free - remainder >= max(Self.leastBytes, used / 4) else {
            due = .never
            latest = nil
            return
        }
        let latest = self.latest ?? .after(Self.patience)
        self.latest = latest
        due = .earlier(.after(Self.pause), latest)
    }

    /// Ends an attempt: what is still free now is not worth another one.
    mutating func settle(allocated: Int, used: Int, pinned: Int) {
        remainder = max(allocated - used - pinned, 0)
        hasRenewed = false
        latest = nil
        due = .never
    }

    /// Goes on at once.
    mutating func continueNow() {
        due = .after(.zero)
    }
}
