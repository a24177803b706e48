internal import Glibc
internal import LMDB

/// A closed store, read without being opened.
///
/// Nothing is mapped, evicted, set aside or written but the note in the lock file that says who holds it. The owner's lock
/// is held until this object's end, so that nobody changes what is read.
package final class StoreFile: Sendable {
    typealias Finding = DataFileCheck.Finding

    package let path: String
    let directory: StoreDirectory
    /// The data file, closed in deinit.
    let descriptor: Int32
    private let lock: OwnerLock

    /// Locks the store at `path`.
    ///
    /// Throws `.notFound`, `.inUse`, or `.unusableDirectory`.
    package init(path: String) throws(StoreError) {
        let directory = try StoreDirectory(path: path, creates: false)
        guard directory.status(of: "data.mdb") != nil else { throw .notFound(directory.path) }
        lock = try OwnerLock(directory)
        try directory.checkFiles()
        let file = unsafe openat(directory.descriptor, "data.mdb", O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else { throw directory.failure("read", "data.mdb") }
        self.path = directory.path
        self.directory = directory
        descriptor = file
    }

    deinit {
        Glibc.close(descriptor)
    }

    /// What has to be known to read records.
    package func content() throws(StoreError) -> StoreContent {
        do throws(Finding) {
            return try StoreContent(self)
        } catch {
            throw damaged(error)
        }
    }

    /// Where to begin if the next opening will go back to a checkpoint; `nil` for the file's own newest transaction.
    var root: MetaPage? {
        guard let bytes = directory.read(StateFile.name), case .state(let state) = StateFile.read(bytes),
            state.isOutlived, state.durability == .checkpointed
        else { return nil }
        let candidates = CheckpointFile.candidates(in: directory)
        guard candidates.count > 1 else { return candidates.first?.page }
        let fitting = candidates.first { candidate in
            (try? DataFileCheck.run(descriptor: descriptor, depth: .whole, root: candidate.page)) != nil
        }
        return (fitting ?? candidates.first)?.page
    }

    /// The records that no read may find, because their removal could not be committed.
    var hidden: Set<RecordHash> {
        guard let bytes = directory.read(StateFile.name), case .state(let state) = StateFile.read(bytes) else {
            return []
        }
        return state.hidden.hashes ?? []
    }

    func damaged(_ finding: Finding) -> StoreError {
        StoreError(
            .damaged,
            "The store at \(path) is damaged (\(finding)): `larder verify` says more; a service that opens it starts afresh"
        )
    }

    /// What the store was last opened with, so that a tool does not change it; `nil` if that is not known.
    package var durability: Durability? {
        guard let bytes = directory.read(StateFile.name), case .state(let state) = StateFile.read(bytes) else {
            return nil
        }
        return state.durability
    }

    /// The size of the data file, and the space it takes on the disk, in bytes.
    package var fileBytes: (size: Int, allocated: Int) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return (0, 0) }
        return (Int(status.st_size), Int(status.st_blocks) * 512)
    }
}
