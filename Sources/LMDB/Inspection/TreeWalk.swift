/// One way through a tree of a data file in the order of its keys: whole, or from a key on for as long as there is time.
struct TreeWalk {
    /// What a tree turned out to have, to be compared with what it says of itself.
    struct Count {
        var branchPages: UInt64 = 0
        var leafPages: UInt64 = 0
        var overflowPages: UInt64 = 0
        var entries: UInt64 = 0
    }

    let tree: TreeRecord
    let isMain: Bool
    let name: String
    var count = Count()
    private let start: [UInt8]?
    private let end: ContinuousClock.Instant?

    /// Whether it has ended before the end of the tree, or just there.
    private(set) var isStopped = false

    /// The key to go on from; `nil` if nothing is left of the tree.
    private(set) var next: [UInt8]?

    init(
        _ tree: TreeRecord,
        isMain: Bool = false,
        name: String,
        from start: [UInt8]? = nil,
        until end: ContinuousClock.Instant? = nil
    ) {
        self.tree = tree
        self.isMain = isMain
        self.name = name
        self.start = start
        self.end = end
    }

    /// Whether it is time to stop; asked only after there was something to look at, so that each walk gets further.
    var isOver: Bool { end.map { ContinuousClock.now >= $0 } ?? false }

    /// Whether the walk begins behind a key.
    func isBehind(_ key: ArraySlice<UInt8>) -> Bool {
        guard let start else { return false }
        return tree.precedes(key.span, start.span)
    }

    /// Whether the walk begins behind everything that is smaller than a key.
    func isBehind(upTo end: ArraySlice<UInt8>) -> Bool {
        guard let start else { return false }
        return !tree.precedes(start.span, end.span)
    }

    mutating func stop(before key: ArraySlice<UInt8>?) {
        isStopped = true
        next = key.map { Array($0) }
    }
}
