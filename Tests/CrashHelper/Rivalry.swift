internal import Glibc
internal import LarderStore
internal import TestSupport

/// What a process does to a shared store beside its own stream: it gets in the others' way, and looks for what is stale.
///
/// Each process notes, in a file beside the store, the number up to which it has flushed, after the flush has returned.
/// Whoever reads that number first, and then the process's record, must find that number or a later one.
struct Rivalry {
    struct Wrong: Error, CustomStringConvertible {
        let description: String
    }

    /// How many processes there may be.
    static let members = 8
    private static let contended = 24

    private let member: Int
    private let beats: StoreTable<Int, [UInt8]>
    private let contended: StoreTable<Int, [UInt8]>
    /// Each is cleared before each write to it.
    private let waves: [StoreTable<Int, [UInt8]>]
    private let progress: Int32

    init(_ store: Store, member: Int, directory: String) throws {
        self.member = member
        beats = try store.table("beats", keyedBy: Int.self, codec: .bytes)
        contended = try store.table("contended", keyedBy: Int.self, codec: .bytes)
        waves = try (0..<Self.members).map { try store.table("wave \($0)", keyedBy: Int.self, codec: .bytes) }
        progress = unsafe open(directory + "-progress", O_RDWR | O_CREAT, 0o600)
        guard progress >= 0 else { throw Wrong(description: "no file for the progress: error \(errno)") }
    }

    /// What is stored under a key of one of these tables: the number, and bytes that follow from it and the key.
    private static func value(_ number: Int, key: Int) -> [UInt8] {
        var random = SeededRandom(seed: UInt64(number) << 16 | UInt64(key))
        let count = Int.random(in: 0..<(number % 16 == 0 ? 9_000 : 400), using: &random)
        let byte = UInt8.random(in: 0...255, using: &random)
        return (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } + [UInt8](repeating: byte, count: count)
    }

    private static func number(_ bytes: [UInt8], key: Int) throws(Wrong) -> Int {
        let number = bytes.prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
        guard bytes.count >= 8, bytes == value(number, key: key) else {
            throw Wrong(description: "stale or wrong: \(bytes.count) bytes under key \(key) are nobody's")
        }
        return number
    }

    /// Beside an operation of the stream: fights over keys that all processes write, remove and clear.
    func step(_ number: Int) throws {
        var random = SeededRandom(seed: UInt64(number) << 8 | UInt64(member))
        let key = Int.random(in: 0..<Self.contended, using: &random)
        switch Int.random(in: 0..<100, using: &random) {
        case 0: contended.removeAll()
        case 1..<10: contended.removeValue(forKey: key)
        case 10..<50: try contended.setValue(Self.value(number, key: key), forKey: key)
        default: if let bytes = contended.value(forKey: key) { _ = try Self.number(bytes, key: key) }
        }
        try look(at: Int.random(in: 0..<Self.members, using: &random))
        // Part of the next flush of the stream.
        try beats.setValue(Self.value(number, key: member), forKey: member)
        waves[member].removeAll()
        try waves[member].setValue(Self.value(number, key: member), forKey: member)
        // Its own queued writes hide whatever the others do.
        guard try beats.value(forKey: member).map({ try Self.number($0, key: member) }) == number,
            try waves[member].value(forKey: member).map({ try Self.number($0, key: member) }) == number
        else { throw Wrong(description: "stale: member \(member) does not see what it has just written") }
    }

    /// Beats and waves up to the number are on the disk.
    func flushed(_ number: Int) throws {
        var word = UInt64(number)
        guard unsafe pwrite(progress, &word, 8, off_t(member * 8)) == 8 else {
            throw Wrong(description: "the progress could not be noted: error \(errno)")
        }
    }

    private func look(at other: Int) throws(Wrong) {
        var least: UInt64 = 0
        guard unsafe pread(progress, &least, 8, off_t(other * 8)) == 8, least > 0 else { return }
        guard let beat = beats.value(forKey: other) else {
            throw Wrong(description: "stale: the beat of \(other) is missing, which had flushed \(least)")
        }
        let number = try Self.number(beat, key: other)
        guard number >= least else {
            throw Wrong(description: "stale: the beat of \(other) is \(number), after it had flushed \(least)")
        }
        // Missing between the commit of a clear and that of the next write, if a batch ended there.
        guard let wave = waves[other].value(forKey: other) else { return }
        let crest = try Self.number(wave, key: other)
        guard crest >= least else {
            throw Wrong(description: "stale: the wave of \(other) is \(crest), after it had flushed \(least)")
        }
    }
}
