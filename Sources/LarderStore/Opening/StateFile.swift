internal import Glibc
internal import LMDB

/// The store's note to its next opening: how it was left, so that a file is judged before LMDB maps it.
struct StateFile: Sendable, Hashable {
    static let name = "STATE"
    static let format = 2

    /// Whether it was closed in order.
    var isClean: Bool
    var durability: Durability
    /// Names the run of the system it was last open in.
    var bootID: String
    /// The data file as it was closed: another size or time means that someone else changed it.
    var dataBytes = 0
    var dataModified: Int64 = 0
    /// The meta pages it was closed with.
    var metas: MetaNote?
    /// The engine found damage while the store was open.
    var isSuspect = false
    /// The records whose removal could not be committed.
    var hidden = HiddenRecords()

    /// All of them of one length, so that one can be overwritten in its place where there is no room for another.
    var encoded: [UInt8] {
        let text = Array(
            """
            larder store
            format \(Self.format)
            clean \(isClean ? 1 : 0)
            durability \(durability.rawValue)
            boot \(bootID)
            bytes \(dataBytes)
            modified \(dataModified)
            metas \(metas?.text ?? "unknown")
            suspect \(isSuspect ? 1 : 0)
            hidden \(hidden.text)
            """.utf8
        )
        return text + [UInt8](repeating: UInt8(ascii: " "), count: max(Self.byteCount - 1 - text.count, 0)) + [10]
    }

    static let byteCount = 4096

    init(isClean: Bool, durability: Durability) {
        self.isClean = isClean
        self.durability = durability
        self.bootID = Self.currentBootID
    }

    /// Whether the data file has the size and time it was closed with.
    func describes(_ data: FileStatus) -> Bool {
        data.bytes == dataBytes && data.modifiedNanoseconds == dataModified
    }

    /// Notes the data file as it is closed.
    mutating func describe(_ data: EnvironmentStatistics, _ metas: MetaNote?) {
        dataBytes = data.fileBytes
        dataModified = data.modifiedNanoseconds
        self.metas = metas
    }

    /// Whether the meta pages of the open data file tell of damage.
    func isBetrayed(by descriptor: Int32, isUntouched: Bool) -> Bool {
        guard isClean, let metas else { return false }
        let found = MetaNote(metaBytes: DataFileCheck.metaBytes(descriptor: descriptor))
        return metas.isBetrayed(by: found, isUntouched: isUntouched)
    }

    static let otherMetas = "its meta pages are not those it was closed with"

    enum Reading {
        case state(StateFile)
        case otherFormat(Int)
        case unreadable
    }

    static func read(_ bytes: [UInt8]) -> Reading {
        // Most of it is padding, which would take longer to split than everything else an opening does.
        let end = bytes.lastIndex { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\n") } ?? -1
        guard let text = String(validating: bytes[..<(end + 1)], as: UTF8.self) else { return .unreadable }
        let lines = text.split(separator: "\n")
        guard lines.first == "larder store" else { return .unreadable }
        var fields: [Substring: Substring] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: " ", maxSplits: 1)
            if parts.count == 2 { fields[parts[0]] = parts[1] }
        }
        guard let format = fields["format"].flatMap({ Int($0) }) else { return .unreadable }
        guard format == Self.format else { return .otherFormat(format) }
        guard let clean = fields["clean"], let mode = fields["durability"],
            let durability = Durability(rawValue: String(mode)), let boot = fields["boot"],
            let dataBytes = fields["bytes"].flatMap({ Int($0) }),
            let dataModified = fields["modified"].flatMap({ Int64($0) })
        else { return .unreadable }
        var state = StateFile(isClean: clean == "1", durability: durability)
        state.bootID = String(boot)
        state.dataBytes = dataBytes
        state.dataModified = dataModified
        state.metas = fields["metas"].flatMap { MetaNote($0) }
        state.isSuspect = fields["suspect"] == "1"
        state.hidden = HiddenRecords(fields["hidden"] ?? "0")
        return .state(state)
    }

    /// Names this run of the system; `unknown`, which equals nothing, where it cannot be read.
    static let currentBootID: String = {
        let file = unsafe open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "unknown" }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe Glibc.read(file, $0.baseAddress, $0.count) }
        let text = String(decoding: bytes[..<max(count, 0)].prefix { $0 != 10 }, as: UTF8.self)
        return text.isEmpty ? "unknown" : text
    }()

    /// Whether the store was open when the system went down.
    var isOutlived: Bool { !isClean && !isSameBoot }

    /// Why one of durability `.checkpointed` may be.
    static let noCheckpoint = "the system went down before the store's first checkpoint"

    /// Why a store of durability `.fast` that was outlived is worth nothing.
    static let unsynced = "the system went down while the store was open with durability fast"

    /// Whether the system has run without a break since.
    var isSameBoot: Bool { bootID == Self.currentBootID && bootID != "unknown" }
}

extension StoreDirectory {
    /// What STATE says; `nil` if it is missing, unreadable or of another format.
    var state: StateFile? {
        guard let bytes = read(StateFile.name), case .state(let state) = StateFile.read(bytes) else { return nil }
        return state
    }
}
