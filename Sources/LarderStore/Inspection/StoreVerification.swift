/// What checking a closed store found.
public struct StoreVerification: Sendable, Hashable {
    /// The pages that belong to something, free ones included.
    public internal(set) var pages = 0

    /// The intact records, those of cleared tables included.
    public internal(set) var records = 0

    /// What is wrong, in words; of many findings the first ones.
    public internal(set) var findings: [String] = []

    /// How many things are wrong.
    public internal(set) var findingCount = 0

    /// Whether nothing is wrong.
    public var isSound: Bool { findingCount == 0 }

    static let listedFindings = 100

    mutating func find(_ description: String) {
        findingCount += 1
        if findings.count < Self.listedFindings { findings.append(description) }
    }
}

extension Store {
    /// Checks the store in the directory at `path` without opening it.
    ///
    /// Blocks and reads the whole data file: the structure of its pages, every record's checksums, that index, records,
    /// expiry order and counters agree. Never maps the file, so that damage cannot end the process, and changes nothing.
    /// Needs about fifty bytes of memory a record. Throws `.notFound` if there is no store, `.inUse` while it is open here
    /// or in another process, or `.unusableDirectory`; damage is a finding, not an error.
    public static func verify(at path: String) throws(StoreError) -> StoreVerification {
        try StoreFile(path: path, beside: .nobody(because: "what is checked must not change meanwhile")).verify()
    }
}
