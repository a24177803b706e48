import TestSupport

/// One file of a simulated disk: what is surely on the disk, and what the system has not written yet.
struct SimulatedFile {
    static let pageBytes = 4096
    static let sectorBytes = 512

    /// A page as one write left it, and the size the file had to have for it.
    private struct Version {
        let sequence: Int
        let bytes: [UInt8]
        let end: Int
    }

    /// What a process reads.
    private var cached: [Int: [UInt8]] = [:]
    private var cachedSize = 0
    private var durable: [Int: [UInt8]] = [:]
    private var durableSize = 0
    private var pending: [Int: [Version]] = [:]

    init(durable bytes: [UInt8] = []) {
        for start in stride(from: 0, to: bytes.count, by: Self.pageBytes) {
            let page = bytes[start..<min(start + Self.pageBytes, bytes.count)]
            durable[start / Self.pageBytes] = page + [UInt8](repeating: 0, count: Self.pageBytes - page.count)
        }
        durableSize = bytes.count
        cached = durable
        cachedSize = durableSize
    }

    mutating func write(_ bytes: ArraySlice<UInt8>, at offset: Int, sequence: Int, isDurable: Bool) {
        let end = offset + bytes.count
        var position = offset
        while position < end {
            let page = position / Self.pageBytes
            let stop = min(end, (page + 1) * Self.pageBytes)
            var content = cached[page] ?? [UInt8](repeating: 0, count: Self.pageBytes)
            let start = bytes.startIndex + position - offset
            content.replaceSubrange(
                (position - page * Self.pageBytes)..<(stop - page * Self.pageBytes),
                with: bytes[start..<(start + stop - position)]
            )
            cached[page] = content
            if isDurable {
                // The system writes whole pages: what the page held before goes to the disk with it.
                durable[page] = content
                durableSize = max(durableSize, stop)
                pending[page] = nil
            } else {
                pending[page, default: []].append(Version(sequence: sequence, bytes: content, end: stop))
            }
            position = stop
        }
        cachedSize = max(cachedSize, end)
    }

    /// A hole: whole pages of zeros, which may reach the disk or not, like any write.
    mutating func punch(at offset: Int, length: Int, sequence: Int) {
        let zeros = [UInt8](repeating: 0, count: Self.pageBytes)
        for start in stride(from: offset, to: min(offset + length, cachedSize), by: Self.pageBytes) {
            write(zeros[..<min(Self.pageBytes, cachedSize - start)], at: start, sequence: sequence, isDurable: false)
        }
    }

    /// Only small files that are written anew are truncated, so this is on the disk at once.
    mutating func truncate(to size: Int) {
        for page in cached.keys where page * Self.pageBytes >= size {
            cached[page] = nil
            durable[page] = nil
            pending[page] = nil
        }
        cachedSize = size
        durableSize = size
    }

    /// Everything written before `sequence` is on the disk from now on.
    mutating func sync(before sequence: Int) {
        for (page, versions) in pending {
            guard let last = versions.last(where: { $0.sequence < sequence }) else { continue }
            durable[page] = last.bytes
            durableSize = max(durableSize, last.end)
            let rest = versions.filter { $0.sequence >= sequence }
            pending[page] = rest.isEmpty ? nil : rest
        }
    }

    /// What a process would read.
    var contents: [UInt8] {
        Self.join(cached, size: cachedSize)
    }

    /// What the disk may hold after the power failed: of each page any of its versions, sometimes torn between sectors.
    func contentsAfterPowerLoss(_ random: inout SeededRandom) -> [UInt8] {
        var pages = durable
        var size = durableSize
        // Now little and now nearly all of it has been written.
        let share = [0, 10, 50, 90, 100].randomElement(using: &random) ?? 50
        // In a fixed order, so that a seed gives one result.
        for (page, versions) in pending.sorted(by: { $0.key < $1.key }) {
            guard Int.random(in: 0..<100, using: &random) < share else { continue }
            let last = Int.random(in: 0..<versions.count, using: &random)
            var bytes = versions[last].bytes
            if Int.random(in: 0..<8, using: &random) == 0 {
                let before = last > 0 ? versions[last - 1].bytes : durable[page]
                let torn = Int.random(in: 1..<8, using: &random) * Self.sectorBytes
                let rest = before ?? [UInt8](repeating: 0, count: Self.pageBytes)
                bytes.replaceSubrange(torn..., with: rest[torn...])
            }
            pages[page] = bytes
            size = max(size, versions[last].end)
        }
        return Self.join(pages, size: size)
    }

    private static func join(_ pages: [Int: [UInt8]], size: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: size)
        for (page, content) in pages where page * pageBytes < size {
            let end = min((page + 1) * pageBytes, size)
            bytes.replaceSubrange((page * pageBytes)..<end, with: content[..<(end - page * pageBytes)])
        }
        return bytes
    }
}
