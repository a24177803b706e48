internal import Foundation

/// Removing everything at once, up to the commit; what is done about it later is off the clock.
struct StoreClearing: Sendable {
    let name: String
    let stores: FilledStores

    var benchmark: Case {
        Case(
            name: name,
            threads: 1,
            subjects: [subject(stores.larder), subject(stores.lmdb), subject(stores.sqlite)]
        )
    }

    private func subject<Store: ClearableStore>(_ filled: FilledStore<Store>) -> Subject {
        Subject(name: Store.name) {
            let box = StoreBox<Store>()
            return Trial(
                hits: .all,
                round: .operations(1),
                prepareRound: {
                    let directory = try ScratchDirectory.path(Store.name)
                    try copyFiles(from: try filled.closed(), to: directory)
                    try box.renew(at: directory, sessions: 0) { try Store(in: directory, .relaxed) }
                }
            ) { _, operations in
                let store = try box.current.store
                try store.clear()
                return Tally(hits: try store.count() == 0 ? operations.count : 0)
            }
        }
    }
}

/// Copies a directory of files with their times, by which a store knows that nobody touched them.
private func copyFiles(from source: String, to target: String) throws {
    let manager = FileManager.default
    try manager.createDirectory(
        atPath: target,
        withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700]
    )
    for name in try manager.contentsOfDirectory(atPath: source) {
        let (from, to) = ("\(source)/\(name)", "\(target)/\(name)")
        try manager.copyItem(atPath: from, toPath: to)
        var status = stat()
        guard unsafe stat(from, &status) == 0 else { throw FileFailure(call: "stat", code: errno) }
        let times = [status.st_atim, status.st_mtim]
        // Safety: the two times are read inside the call.
        guard unsafe utimensat(AT_FDCWD, to, times, 0) == 0 else { throw FileFailure(call: "utimensat", code: errno) }
    }
}
