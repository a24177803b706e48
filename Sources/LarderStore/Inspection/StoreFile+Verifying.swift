internal import LMDB

extension StoreFile {
    /// Checks the whole store; see `Store.verify(at:)`.
    package func verify() -> StoreVerification {
        var result = StoreVerification()
        if let finding = stateFinding { result.find(finding) }
        do throws(Finding) {
            result.pages = try DataFileCheck.run(descriptor: descriptor, depth: .whole, root: root)
            var check = try RecordCheck(StoreContent(self))
            try check.run(&result)
        } catch {
            // What follows from a broken tree would only repeat it.
            result.find("\(error)")
        }
        return result
    }

    /// Why an opening would set the store aside whatever the data file says.
    private var stateFinding: String? {
        guard let bytes = directory.read(StateFile.name) else { return "STATE is missing, so it is no store's" }
        switch StateFile.read(bytes) {
        case .unreadable:
            return "STATE is unreadable"
        case .otherFormat(let format):
            return "the store has format \(format)"
        case .state(let state) where state.isBetrayed(by: descriptor, isUntouched: isUntouched(since: state)):
            return StateFile.otherMetas
        case .state(let state) where state.hidden.hashes == nil:
            return HiddenRecords.tooMany
        case .state(let state):
            guard state.isOutlived else { return nil }
            switch state.durability {
            case .fast: return StateFile.unsynced
            case .checkpointed where root == nil: return StateFile.noCheckpoint
            case .checkpointed, .commit, .strict: return nil
            }
        }
    }

    private func isUntouched(since state: StateFile) -> Bool {
        guard let data = directory.status(of: "data.mdb") else { return false }
        return state.describes(data)
    }
}
