internal import Glibc

/// The directory inside a store's in which a compacted copy is made.
extension StoreDirectory {
    static let compactionName = "compaction"
    private static let engineFiles = ["data.mdb", "lock.mdb"]

    /// Makes the directory, empty.
    func makeCompaction() throws(StoreError) {
        removeCompaction()
        guard unsafe mkdirat(descriptor, Self.compactionName, 0o700) == 0 else {
            throw failure("make", Self.compactionName)
        }
    }

    /// Gives the copy the original's name: from then on the copy is the store.
    func adoptCompaction() throws(StoreError) {
        let copy = "\(Self.compactionName)/data.mdb"
        guard unsafe renameat(descriptor, copy, descriptor, "data.mdb") == 0 else {
            throw failure("replace", "data.mdb")
        }
    }

    /// Moves the lock file after the data and removes the directory.
    ///
    /// The new name is on the disk when this returns, so that nothing committed to the copy can be lost with it.
    func finishCompaction() {
        unsafe renameat(descriptor, "\(Self.compactionName)/lock.mdb", descriptor, "lock.mdb")
        removeCompaction()
        synchronize()
    }

    /// Removes what a compaction that was cut short has left.
    func removeCompaction() {
        // At most openings there is none, which one call finds out.
        guard unsafe unlinkat(descriptor, Self.compactionName, AT_REMOVEDIR) != 0, errno != ENOENT else { return }
        for file in Self.engineFiles { unsafe unlinkat(descriptor, "\(Self.compactionName)/\(file)", 0) }
        unsafe unlinkat(descriptor, Self.compactionName, AT_REMOVEDIR)
    }
}
