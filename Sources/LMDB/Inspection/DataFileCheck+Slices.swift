/// Checking the data file of an open environment, a little at a time.
extension DataFileCheck {
    /// Where a check in slices has come to.
    package struct Position: Sendable, Hashable {
        /// Which tree, in the order of their names; the list of free pages comes last.
        fileprivate var tree = 0
        /// The key to go on from in it.
        fileprivate var key: [UInt8]?

        /// The beginning.
        package init() {}
    }

    /// What became of a slice.
    package enum Slice: Sendable {
        /// There is more to look at from there.
        case goesOn(Position)

        /// Everything has been looked at.
        case isDone

        /// A page is damaged.
        case finds(Finding)
    }

    /// Checks what comes from `position` on until `end`; each time it gets a little further.
    ///
    /// That no page is used twice, and how many there are, shows only where everything is looked at in one go.
    fileprivate mutating func checkSlice(
        of meta: Meta,
        from position: Position,
        until end: ContinuousClock.Instant
    ) throws(Finding) -> Slice {
        lastPage = meta.lastPage
        transaction = meta.transaction
        try checkTree(meta.main, isMain: true, name: "main")
        let trees = subTrees + [(name: "free list", record: meta.free)]
        var position = position
        while position.tree < trees.count {
            let tree = trees[position.tree]
            var walk = TreeWalk(tree.record, name: tree.name, from: position.key, until: end)
            try follow(&walk)
            position.key = walk.next
            if walk.next == nil { position.tree += 1 }
            if walk.isStopped, position.tree < trees.count { return .goesOn(position) }
        }
        return .isDone
    }
}

extension ReadTransaction {
    /// Checks pages of the snapshot from `position` on, for about `duration`.
    ///
    /// With plain reads, to which damage does no harm, and which do not end in a signal where the disk fails. Each slice may
    /// be of another snapshot: a page that no commit has replaced is met at its keys in every one of them, and what was
    /// written meanwhile is as LMDB wrote it.
    package func checkPages(
        from position: DataFileCheck.Position,
        within duration: Duration
    ) -> DataFileCheck.Slice {
        let end = ContinuousClock.now.advanced(by: duration)
        let environment = environment
        let page = environment.metaPage(of: number)
        // The commit after the next one writes to the same page: after the next one it may be at that.
        let sizes = environment.statistics
        guard sizes.lastTransaction == number else { return .goesOn(position) }
        guard let meta = page?.meta else {
            return .finds(DataFileCheck.Finding("meta page \(number & 1) is damaged"))
        }
        var check = DataFileCheck(file: environment.descriptor, filePages: sizes.fileBytes / DataFileCheck.pageSize)
        do throws(DataFileCheck.Finding) {
            return try check.checkSlice(of: meta, from: position, until: end)
        } catch {
            return .finds(error)
        }
    }
}
