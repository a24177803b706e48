/// Numbers sorted into ranges whose lower ends are given; the last range has no end.
struct Histogram {
    let lowerEnds: [Int]
    private(set) var counts: [Int]

    /// The lower ends must ascend from zero.
    init(lowerEnds: [Int]) {
        self.lowerEnds = lowerEnds
        counts = [Int](repeating: 0, count: lowerEnds.count)
    }

    mutating func add(_ value: Int) {
        let index = lowerEnds.lastIndex { $0 <= value } ?? 0
        counts[index] += 1
    }

    /// Bytes of records, by powers of four: the smallest record is its header of 64 bytes.
    static var sizes: Histogram {
        Histogram(lowerEnds: [0] + (1...12).map { 64 << ($0 * 2 - 2) })
    }

    /// Seconds.
    static var ages: Histogram {
        let (minute, hour, day) = (60, 3_600, 86_400)
        return Histogram(
            lowerEnds: [0, minute, 10 * minute, hour, 6 * hour, day, 7 * day, 30 * day, 90 * day, 365 * day]
        )
    }

    /// The ranges that lie between the first and the last that have something.
    var occupied: Range<Int> {
        guard let first = counts.firstIndex(where: { $0 > 0 }), let last = counts.lastIndex(where: { $0 > 0 }) else {
            return 0..<0
        }
        return first..<(last + 1)
    }

    /// One line a range: its name, a bar, the count and the share.
    func lines(width: Int = 40, name: (_ lower: Int, _ upper: Int?) -> String) -> [String] {
        let total = counts.reduce(0, +)
        let largest = max(counts.max() ?? 0, 1)
        let rows = occupied.map { index in
            (name(lowerEnds[index], index + 1 < lowerEnds.count ? lowerEnds[index + 1] : nil), counts[index])
        }
        let nameWidth = rows.map(\.0.count).max() ?? 0
        return rows.map { name, count in
            NumberFormat.padded(name, to: -nameWidth) + "  "
                + NumberFormat.padded(Self.bar(Double(count) / Double(largest) * Double(width)), to: width)
                + NumberFormat.padded(NumberFormat.grouped(count), to: -13)
                + NumberFormat.padded(NumberFormat.percent(Double(count) / Double(total)), to: -10)
        }
    }

    /// A bar in eighths of a character; whatever is not nothing shows.
    private static func bar(_ length: Double) -> String {
        let eighths = length > 0 ? max(Int(length * 8), 1) : 0
        let parts = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
        return String(repeating: "█", count: eighths / 8) + parts[eighths % 8]
    }
}
