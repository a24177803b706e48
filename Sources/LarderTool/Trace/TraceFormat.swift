/// How a trace is written down.
enum TraceFormat: String, CaseIterable {
    /// libCacheSim: 24-byte little-endian records of time (u32), key (u64), size (u32), index of the next access (i64).
    case oracle

    /// One whole number a line; lines that begin with `*` are markers.
    case lirs

    /// Big-endian 32-bit keys.
    case i32be

    /// Big-endian 64-bit keys.
    case i64be

    /// `key` or `key,size` a line, with or without a header.
    case csv

    /// The length of a record; `nil` for the formats that are lines of text.
    var recordSize: Int? {
        switch self {
        case .oracle: 24
        case .i32be: 4
        case .i64be: 8
        case .lirs, .csv: nil
        }
    }

    /// Whether a trace in this format can record sizes.
    var hasSizes: Bool {
        switch self {
        case .oracle, .csv: true
        case .lirs, .i32be, .i64be: false
        }
    }
}
