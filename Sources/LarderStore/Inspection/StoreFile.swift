internal import Glibc
internal import LMDB

/// A store that is read without being opened: a closed one or, if that is asked for, one that others share.
///
/// Nothing is evicted, set aside or written but the note in the lock file that says who holds it. Nobody changes what is
/// read: of a closed store the owner's lock is held until this object's end, of a shared one the newest commit is kept as
/// it is.
package final class StoreFile: Sendable {
    typealias Finding = DataFileCheck.Finding

    /// Who else may have the store open.
    package enum Company: Sendable {
        /// Nobody, for a reason that a refusal gives.
        case nobody(because: String? = nil)

        /// Processes that share it.
        case sharers
    }

    package let path: String
    let directory: StoreDirectory
    /// The data file, closed in deinit.
    let descriptor: Int32
    private let lock: OwnerLock
    private let joined: JoinedSnapshot?

    /// Locks the store at `path`, or joins those who share it.
    ///
    /// Waits for nobody. Throws `.notFound`, `.inUse`, `.unusableDirectory` or, from joining, `.timedOut` or what the engine
    /// refuses.
    package init(path: String, beside company: Company = .nobody()) throws(StoreError) {
        let directory = try StoreDirectory(path: path, creates: false)
        guard directory.status(of: "data.mdb") != nil else { throw .notFound(directory.path) }
        switch company {
        case .nobody(let reason): lock = try OwnerLock(directory, aloneBecause: reason)
        case .sharers: lock = try OwnerLock.visit(directory)
        }
        try directory.checkFiles()
        joined = lock.isFirst ? nil : try JoinedSnapshot(directory, lock)
        let file = unsafe openat(directory.descriptor, "data.mdb", O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else { throw directory.failure("read", "data.mdb") }
        self.path = directory.path
        self.directory = directory
        descriptor = file
    }

    deinit {
        Glibc.close(descriptor)
    }

    /// Whether others have it open.
    package var isJoined: Bool { joined != nil }

    /// What has to be known to read records.
    package func content() throws(StoreError) -> StoreContent {
        do throws(Finding) {
            return try StoreContent(self)
        } catch {
            throw damaged(error)
        }
    }

    /// Where to begin if others share the store, or the next opening will go back to a checkpoint; `nil` for the file's own
    /// newest transaction.
    var root: MetaPage? {
        if let joined { return joined.root }
        guard let state = directory.state, state.isOutlived, state.durability == .checkpointed else { return nil }
        let candidates = CheckpointFile.candidates(in: directory)
        guard candidates.count > 1 else { return candidates.first?.page }
        let fitting = candidates.first { candidate in
            (try? DataFileCheck.run(descriptor: descriptor, depth: .whole, root: candidate.page)) != nil
        }
        return (fitting ?? candidates.first)?.page
    }

    /// The records that no read may find, because their removal could not be committed.
    var hidden: Set<RecordHash> { directory.state?.hidden.hashes ?? [] }

    func damaged(_ finding: Finding) -> StoreError {
        StoreError(
            .damaged,
            "The store at \(path) is damaged (\(finding)): `larder verify` says more; a service that opens it starts afresh"
        )
    }

    /// What the store was last opened with, so that a tool does not change it; `nil` if that is not known.
    package var durability: Durability? { directory.state?.durability }

    /// The size of the data file, and the space it takes on the disk, in bytes.
    package var fileBytes: (size: Int, allocated: Int) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return (0, 0) }
        return (Int(status.st_size), Int(status.st_blocks) * 512)
    }
}
