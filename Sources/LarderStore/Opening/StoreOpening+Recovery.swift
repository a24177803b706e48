internal import Glibc
internal import LMDB

/// Judging what is there, before the engine maps it.
extension StoreOpening {
    /// What an opening makes of the files it finds.
    struct Judgement {
        /// Why they were set aside, if they were.
        var recovery: StoreRecovery?
        /// The store was closed in order, and its files are those it was closed with.
        var isAsClosed = false
        /// Not all pages that LMDB relies on were looked at.
        var isUnread = false
        /// The records in them that no read may find.
        var hidden: Set<RecordHash> = []

        init(_ recovery: StoreRecovery? = nil) {
            self.recovery = recovery
        }
    }

    /// Up to so many pages of trees the whole file is checked at every opening, which takes some ten milliseconds.
    ///
    /// Measured with the file in the system's cache: three microseconds a page; from a disk it is as many reads. No file of
    /// up to 16 MiB has more pages, nor one of some 170 MiB with values of a kilobyte, whose trees are a small part of it.
    /// Those of a larger one that looks as it was left are looked at once it is open; see `BackgroundCheck`.
    private static var alwaysCheckedPages: Int { 4096 }

    /// Makes the files ones that can be mapped, or sets them aside.
    func judge() throws(StoreError) -> Judgement {
        guard let data = directory.status(of: "data.mdb") else {
            // A checkpoint of a file that is gone would fit no other.
            directory.remove(CheckpointFile.name)
            return Judgement()
        }
        guard let bytes = try directory.contents(of: StateFile.name) else {
            return Judgement(try setAside(.damaged, "data.mdb is there without STATE, so it is no store's"))
        }
        let state: StateFile
        switch StateFile.read(bytes) {
        case .state(let found): state = found
        case .otherFormat(let format): return Judgement(try setAside(.otherVersion, "the store has format \(format)"))
        case .unreadable: return Judgement(try setAside(.damaged, "STATE is unreadable"))
        }
        let file = unsafe openat(directory.descriptor, "data.mdb", O_RDWR | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else { throw directory.failure("open", "data.mdb") }
        defer { close(file) }
        var judgement = try recover(file, data, state)
        guard judgement.recovery == nil else { return judgement }
        guard let hidden = state.hidden.hashes else { return Judgement(try setAside(.damaged, HiddenRecords.tooMany)) }
        judgement.hidden = hidden
        judgement.isAsClosed = state.isClean && !state.isSuspect && state.describes(data)
        return judgement
    }

    private func recover(
        _ file: Int32,
        _ data: FileStatus,
        _ state: StateFile
    ) throws(StoreError) -> Judgement {
        if state.isOutlived {
            switch state.durability {
            case .fast:
                return Judgement(try setAside(.unsyncedAfterSystemCrash, StateFile.unsynced))
            case .checkpointed:
                return Judgement(try restoreCheckpoint(file))
            case .strict, .commit:
                break
            }
        }
        let isUntouched = state.describes(data)
        if state.isBetrayed(by: file, isUntouched: isUntouched) {
            return Judgement(try setAside(.damaged, StateFile.otherMetas))
        }
        let isTrusted = !state.isSuspect && (state.isClean ? isUntouched : state.isSameBoot)
        var judgement = Judgement()
        do throws(DataFileCheck.Finding) {
            judgement.isUnread = isTrusted ? try isLarge(file) : false
            try DataFileCheck.run(descriptor: file, depth: judgement.isUnread ? .shape : .whole)
        } catch {
            return Judgement(try setAside(.damaged, "\(error)"))
        }
        if !state.isClean { try synchronize(file) }
        return judgement
    }

    private func isLarge(_ file: Int32) throws(DataFileCheck.Finding) -> Bool {
        try DataFileReader(descriptor: file).checkingEffort() > faults.alwaysCheckedPages ?? Self.alwaysCheckedPages
    }

    /// What a killed process had not synced is synced now: the mode of this opening may promise more than its did.
    private func synchronize(_ file: Int32) throws(StoreError) {
        guard fdatasync(file) == 0 else { throw directory.failure("sync", "data.mdb") }
    }

    /// Takes the data file back to its last checkpoint: nothing after that can be trusted to be on the disk.
    private func restoreCheckpoint(_ file: Int32) throws(StoreError) -> StoreRecovery? {
        // If it cannot be read now, that is no reason to give the store up.
        _ = try directory.contents(of: CheckpointFile.name)
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
        guard !isMaintenance else {
            throw StoreError(
                .damaged,
                "The store at \(directory.path) cannot be used, because \(detail): a service that opens it starts afresh"
            )
        }
        let quarantine = try directory.setAside(now: clock.now)
        return StoreRecovery(reason: reason, detail: detail, quarantine: quarantine)
    }
}
