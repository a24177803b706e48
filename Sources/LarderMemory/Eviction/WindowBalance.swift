/// How much of the capacity the window of `TinyLFUOrder` gets: a fixed share, or one that climbs towards more hits.
///
/// The slope is measured, not guessed. What the window lost and what the main area lost is remembered for a while; a key
/// that is asked for again while remembered would have been a hit, had the part that lost it been larger, and the share
/// moves that way by the entry's weight. Steps in a probed direction, judged by the hit ratio after each (hill climbing
/// as Caffeine does it), need ten times the capacity in requests a step and fell up to six points behind LRU on public
/// traces; this stays within one of it there, and reaches further where frequency pays.
struct WindowBalance: Sendable {
    private(set) var share: Double
    let adapts: Bool

    /// The weights that window and main area may have.
    private(set) var windowCapacity = Int.max
    private(set) var mainCapacity = Int.max
    private var capacity = Int.max

    private var lostByWindow = GhostQueue()
    private var lostByMain = GhostQueue()

    private static let firstShare = 0.2
    private static let shares = 0.01...0.99

    /// The worth of what is remembered of one part, as a share of the other.
    ///
    /// Short memories measure the slope here, not further off.
    private static let memory = 0.25

    init(fixed share: Double?) {
        self.share = share ?? Self.firstShare
        adapts = share == nil
    }

    /// Whether a newcomer that was seen as often as the one it competes with is let in.
    ///
    /// Keys that all come once or twice in turn look alike to a sketch. Where the window has not shrunk, recency pays,
    /// and the newcomer is the more recent; in a loop over more than the capacity the window shrinks to almost nothing,
    /// and keeping what is there is the best that can be done.
    var favoursNewcomers: Bool { adapts && share >= Self.firstShare / 2 }

    mutating func resize(to capacity: Int) {
        self.capacity = capacity
        divide()
        lostByWindow.trim(to: mainCapacity.share(Self.memory))
        lostByMain.trim(to: windowCapacity.share(Self.memory))
    }

    /// A key is missed that may have been lost lately.
    mutating func miss(_ hash: UInt64, weight: Int) {
        guard adapts else { return }
        let step = Double(weight) / Double(capacity)
        if lostByWindow.remove(hash) {
            share = min(Self.shares.upperBound, share + step)
        } else if lostByMain.remove(hash) {
            share = max(Self.shares.lowerBound, share - step)
        } else {
            return
        }
        divide()
    }

    /// The window has lost an entry.
    mutating func windowLost(_ hash: UInt64, weight: Int, countLimit: Int) {
        guard adapts else { return }
        let limit = mainCapacity.share(Self.memory)
        lostByWindow.insert(hash, weight: weight, weightLimit: limit, countLimit: countLimit)
    }

    /// The main area has lost an entry.
    mutating func mainLost(_ hash: UInt64, weight: Int, countLimit: Int) {
        guard adapts else { return }
        let limit = windowCapacity.share(Self.memory)
        lostByMain.insert(hash, weight: weight, weightLimit: limit, countLimit: countLimit)
    }

    /// Takes back that an entry was lost.
    mutating func forget(_ hash: UInt64) {
        lostByWindow.remove(hash)
        lostByMain.remove(hash)
    }

    private mutating func divide() {
        windowCapacity = max(1, capacity.share(share))
        mainCapacity = capacity == .max ? .max : max(0, capacity - windowCapacity)
    }

    /// The bytes that the memories occupy.
    var bytes: Int { lostByWindow.bytes + lostByMain.bytes }
}
