internal import Glibc
internal import LMDB

/// How the engine is opened for a store: the same at each opening and for a compacted copy.
extension StoreConfiguration {
    /// The readers a store has at most.
    var readerLimit: Int {
        maxReaders ?? Self.usualReaderLimit
    }

    /// Asked for once, because the answer comes from a file.
    private static let usualReaderLimit = max(32, 4 * Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))

    /// With `joiningMapOfOthers`, the map is as large as theirs: LMDB notes a larger one in the file, and they take it over.
    func environmentOptions(
        _ faults: StoreFaults = StoreFaults(),
        joiningMapOfOthers: Bool = false
    ) -> EnvironmentOptions {
        let synchronization: EnvironmentOptions.Synchronization =
            switch durability {
            case .strict: .full
            case .commit: .dataOnly
            case .checkpointed, .fast: .none
            }
        let budget = budget.bytes
        let mapBytes = (max(budget > .max / 4 ? .max / 2 : 4 * budget, 1 << 30) + 0xFFFF) & ~0xFFFF
        return EnvironmentOptions(
            mapBytes: joiningMapOfOthers ? 0 : faults.mapBytes ?? mapBytes,
            minimumMapBytes: budget + (16 << 20),
            // The first opening decides for all processes; slots that nobody takes cost nothing.
            maximumReaders: multiProcess ? 8192 : readerLimit + 16,
            maximumDatabases: RecordStore.databaseCount,
            synchronization: synchronization
        )
    }
}

extension StoreDirectory {
    /// The path the engine is given: it leads to the directory that was checked, whatever its name leads to by now.
    func enginePath(_ name: String? = nil) -> String {
        "/proc/self/fd/\(descriptor)" + (name.map { "/\($0)" } ?? "")
    }
}

/// The databases of a store.
///
/// Opened in one order always, so that the handles are the same in every environment of the same store.
struct StoreDatabases: Sendable, Hashable {
    let data: Database
    let index: Database
    let meta: Database
    let extensionData: Database
    /// How much of which pack has died.
    let packs: Database

    init(opening transaction: inout WriteTransaction) throws(LMDBError) {
        data = try transaction.open("data", integerKeys: true)
        index = try transaction.open("index")
        meta = try transaction.open("meta")
        extensionData = try transaction.open("extensions")
        packs = try transaction.open("packs", integerKeys: true)
    }

    var all: [Database] { [data, index, meta, extensionData, packs] }
}
