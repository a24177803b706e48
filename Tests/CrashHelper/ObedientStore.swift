internal import Glibc
internal import LMDB
internal import LarderStore
internal import Synchronization

/// A process that does what it is told, a line each on its input, and answers with a line.
///
/// `open DIRECTORY DURABILITY shared|alone` and `close`; `put TABLE KEY TEXT`, `remove TABLE KEY`, `clear TABLE`, `get TABLE
/// KEY`, `count TABLE`, `flush`; `bytes TABLE` opens a table with keys of another kind; `changes` says how many external
/// changes were reported; `fill TABLE COUNT BYTES`, and `check TABLE COUNT BYTES`, which says how many of the values that
/// were filled in are there, and how many are others; `pin DIRECTORY COUNT` reads past the store, with so many readers, and
/// never ends. Ends with its input.
final class ObedientStore {
    private var store: Store?
    private let changes = Changes()
    private var pins: [Reader] = []

    private final class Changes: Sendable {
        let count = Atomic<Int>(0)
    }

    static func main() throws {
        let obedient = ObedientStore()
        while let line = readLine() {
            let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
            do {
                CrashHelper.say(try obedient.obey(words))
            } catch let error as StoreError {
                CrashHelper.say("refused \(error.code) \(error.message)")
            }
        }
    }

    private func table(_ name: String) throws -> StoreTable<Int, String> {
        guard let store else { throw CrashOptions.Failure(description: "no store is open") }
        return try store.table(name, keyedBy: Int.self, codec: .string)
    }

    /// A text of some bytes that no other key has.
    private static func text(_ key: Int, _ bytes: String) -> String {
        let (text, count) = ("\(key)", Int(bytes) ?? 0)
        return text + String(repeating: "x", count: max(count - text.utf8.count, 0))
    }

    private func obey(_ words: [String]) throws -> String {
        switch (words[0], words.count) {
        case ("open", 4):
            var configuration = StoreConfiguration(budget: .mebibytes(64), expiryInterval: .zero)
            configuration.durability = Durability(rawValue: words[2]) ?? .fast
            configuration.multiProcess = words[3] == "shared"
            configuration.closeDeadline = .seconds(2)
            store = try Store.open(
                at: words[1],
                configuration: configuration,
                events: StoreEvents(onExternalChange: { [changes] _ in changes.count.add(1, ordering: .relaxed) })
            )
            return store?.recovery.map { "recovered \($0)" } ?? "opened"
        case ("close", 1):
            try store?.close()
            store = nil
        case ("put", 4):
            try table(words[1]).setValue(words[3], forKey: Int(words[2]) ?? 0)
        case ("fill", 4):
            let table = try table(words[1])
            for key in 0..<(Int(words[2]) ?? 0) { try table.setValue(Self.text(key, words[3]), forKey: key) }
        case ("check", 4):
            let table = try table(words[1])
            let values = (0..<(Int(words[2]) ?? 0)).map { ($0, table.value(forKey: $0)) }
            let found = values.filter { $0.1 != nil }
            return "found \(found.count) wrong \(found.count { $0.1 != Self.text($0.0, words[3]) })"
        case ("remove", 3):
            try table(words[1]).removeValue(forKey: Int(words[2]) ?? 0)
        case ("clear", 2):
            try table(words[1]).removeAll()
        case ("get", 3):
            return try table(words[1]).value(forKey: Int(words[2]) ?? 0).map { "value \($0)" } ?? "none"
        case ("count", 2):
            return try "count \(table(words[1]).count)"
        case ("bytes", 2):
            _ = try store?.table(words[1], keyedBy: String.self, codec: .bytes)
        case ("flush", 1):
            try store?.flush()
        case ("changes", 1):
            return "changes \(changes.count.load(ordering: .relaxed))"
        case ("pin", 3):
            try pin(words[1], Int(words[2]) ?? 1)
        default:
            return "refused: \(words.joined(separator: " "))"
        }
        return "done"
    }

    /// Past the owner's lock: only what it leaves behind is of interest.
    private func pin(_ directory: String, _ count: Int) throws {
        let options = EnvironmentOptions(
            mapBytes: 1 << 30,
            minimumMapBytes: 1 << 30,
            maximumReaders: 64,
            maximumDatabases: 4,
            synchronization: .none
        )
        let environment = try Environment(directory: directory, options: options)
        for _ in 0..<count { pins.append(try Reader(environment)) }
        guard let first = pins.first else { return }
        let snapshot = try first.begin()
        CrashHelper.say("pinned \(snapshot.number)")
        // Always true, but not to the compiler, which would end the read after its last use.
        while getpid() > 0 { pause() }
        CrashHelper.say("\(snapshot.number)")
    }
}
