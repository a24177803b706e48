internal import Glibc
internal import LMDB

/// Judging what is there, before the engine maps it.
extension StoreOpening {
    /// Says that the store is open and how, for the opening after a crash.
    func writeState() throws(StoreError) {
        let state = StateFile(isClean: false, durability: configuration.durability)
        try directory.replace(StateFile.name, with: state.encoded)
    }

    /// Up to this size the whole file is checked at every opening, which takes some ten milliseconds.
    ///
    /// A larger one that looks as it was left is trusted: a gigabyte would take half a second from the system's cache, and
    /// many from a disk. Damage that does not show in size, times or meta pages is met by the engine then.
    private static var alwaysCheckedBytes: Int { 16 << 20 }

    /// Makes the files ones that can be mapped, or sets them aside.
    func recover() throws(StoreError) -> StoreRecovery? {
        guard let data = directory.status(of: "data.mdb") else {
            // A checkpoint of a file that is gone would fit no other.
            directory.remove(CheckpointFile.name)
            return nil
        }
        guard let bytes = directory.read(StateFile.name) else {
            return try setAside(.damaged, "data.mdb is there without STATE, so it is no store's")
        }
        let state: StateFile
        switch StateFile.read(bytes) {
        case .state(let found): state = found
        case .otherFormat(let format): return try setAside(.otherVersion, "the store has format \(format)")
        case .unreadable: return try setAside(.damaged, "STATE is unreadable")
        }
        let file = unsafe openat(directory.descriptor, "data.mdb", O_RDWR | O_NOFOLLOW | O_CLOEXEC)
        // What cannot be read here cannot be read by the engine either, which says why.
        guard file >= 0 else { return nil }
        defer { close(file) }
        if state.isOutlived {
            switch state.durability {
            case .fast:
                return try setAside(.unsyncedAfterSystemCrash, StateFile.unsynced)
            case .checkpointed:
                return try restoreCheckpoint(file)
            case .strict, .commit:
                break
            }
        }
        let isUntouched = state.describes(data)
        if state.isBetrayed(by: file, isUntouched: isUntouched) { return try setAside(.damaged, StateFile.otherMetas) }
        let isTrusted = !state.isSuspect && (state.isClean ? isUntouched : state.isSameBoot)
        let isSmall = data.bytes <= Self.alwaysCheckedBytes
        do throws(DataFileCheck.Finding) {
            try DataFileCheck.run(descriptor: file, depth: isTrusted && !isSmall ? .shape : .whole)
        } catch {
            return try setAside(.damaged, "\(error)")
        }
        if !state.isClean { try synchronize(file) }
        return nil
    }

    /// What a killed process had not synced is synced now: the mode of this opening may promise more than its did.
    private func synchronize(_ file: Int32) throws(StoreError) {
        guard fdatasync(file) == 0 else { throw directory.failure("sync", "data.mdb") }
    }

    /// Takes the data file back to its last checkpoint: nothing after that can be trusted to be on the disk.
    private func restoreCheckpoint(_ file: Int32) throws(StoreError) -> StoreRecovery? {
        let candidates = CheckpointFile.candidates(in: directory)
        guard !candidates.isEmpty else {
            return try setAside(.unsyncedAfterSystemCrash, StateFile.noCheckpoint)
        }
        var finding: DataFileCheck.Finding?
        for candidate in candidates {
            do throws(DataFileCheck.Finding) {
                try DataFileCheck.run(descriptor: file, depth: .whole, root: candidate.page)
            } catch {
                finding = finding ?? error
                continue
            }
            do throws(LMDBError) {
                try candidate.page.restore(toDescriptor: file)
            } catch {
                throw .engine(error, path: directory.path, doing: "going back to the last checkpoint")
            }
            return nil
        }
        return try setAside(.damaged, finding.map { "\($0)" } ?? "no checkpoint fits it")
    }

    func setAside(_ reason: StoreRecovery.Reason, _ detail: String) throws(StoreError) -> StoreRecovery {
        guard setsAside else {
            throw StoreError(
                .damaged,
                "The store at \(directory.path) cannot be used, because \(detail): a service that opens it starts afresh"
            )
        }
        let quarantine = try directory.setAside(now: clock.now)
        return StoreRecovery(reason: reason, detail: detail, quarantine: quarantine)
    }
}
