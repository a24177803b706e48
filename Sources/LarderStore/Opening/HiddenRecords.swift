/// The records that no read may find, although they are in the data file: their removal could not be committed.
///
/// They stand in STATE, which is overwritten in its place, because a full disk has no room for anything new. So they stay
/// hidden if the process is killed before there is room for the removal.
struct HiddenRecords: Sendable, Hashable {
    /// As many as STATE has room for.
    static let limit = 100

    /// The hashes; `nil` for more than can be listed, or a list that cannot be read: then nothing may be found.
    private(set) var hashes: Set<RecordHash>? = []

    init() {}

    /// Everything in the file: what is to hide it could not be committed.
    static let all: HiddenRecords = {
        var hidden = HiddenRecords()
        hidden.hashes = nil
        return hidden
    }()

    init(_ hashes: some Collection<RecordHash>) {
        self.hashes = hashes.count <= Self.limit ? Set(hashes) : nil
    }

    /// Reads what `text` wrote; the number in front tells a whole list from one that was cut short.
    init(_ text: Substring) {
        let parts = text.split(separator: " ")
        let found = parts.dropFirst().compactMap { RecordHash(hexadecimal: $0) }
        let isWhole = parts.first.flatMap { Int($0) } == found.count && found.count == parts.count - 1
        hashes = isWhole ? Set(found) : nil
    }

    var text: String {
        guard let hashes else { return "all" }
        return hashes.reduce("\(hashes.count)") { $0 + " " + $1.hexadecimal }
    }

    var isEmpty: Bool { hashes?.isEmpty ?? false }

    /// Whether everything hidden here is hidden there.
    func isSubset(of other: HiddenRecords) -> Bool {
        guard let others = other.hashes else { return true }
        return hashes?.isSubset(of: others) ?? false
    }

    static let tooMany =
        """
        a removal of everything, or more removals than STATE has room for, could not be committed, so that nothing in it \
        can be trusted
        """
}

extension RecordHash {
    fileprivate init?(hexadecimal text: Substring) {
        guard text.utf8.count == 32, let high = UInt64(text.prefix(16), radix: 16),
            let low = UInt64(text.suffix(16), radix: 16)
        else { return nil }
        self.init(low: low, high: high)
    }

    fileprivate var hexadecimal: String {
        [high, low].reduce("") { text, word in
            let digits = String(word, radix: 16)
            return text + String(repeating: "0", count: 16 - digits.count) + digits
        }
    }
}
