internal import Foundation

/// Text in columns, for people.
struct Table {
    enum Alignment {
        case left
        case right
    }

    let alignments: [Alignment]
    private var rows: [[String]] = []

    init(_ columns: [(title: String, alignment: Alignment)]) {
        alignments = columns.map(\.alignment)
        rows.append(columns.map(\.title))
    }

    /// Adds a row, with a cell for every column.
    mutating func add(_ row: [String]) {
        precondition(row.count == alignments.count, "a row of \(row.count) cells in \(alignments.count) columns")
        rows.append(row)
    }

    /// Adds an empty line.
    mutating func addGap() {
        rows.append([])
    }

    var lines: [String] {
        let widths = alignments.indices.map { column in
            rows.map { $0.isEmpty ? 0 : $0[column].count }.max() ?? 0
        }
        return rows.map { row in
            var line = ""
            for (column, cell) in row.enumerated() {
                let padding = String(repeating: " ", count: widths[column] - cell.count)
                line += (column == 0 ? "" : "  ") + (alignments[column] == .left ? cell + padding : padding + cell)
            }
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}

extension Table {
    /// The results of a report; the last column compares `subject` with each of the others.
    static func lines(of report: Report, subject: String) -> [String] {
        var table = Table([
            ("case", .left), ("threads", .right), ("subject", .left), ("ns/op", .right), ("(min–max)", .right),
            ("allocations", .right), ("hit ratio", .right), ("file/payload", .right),
            ("\(subject)/it", .right),
        ])
        var previous: CaseResult?
        for result in report.results {
            let (benchmark, threads) = (result.benchmark, result.threads)
            if let previous, (previous.benchmark, previous.threads) != (benchmark, threads) { table.addGap() }
            previous = result
            let reference = report.result(of: benchmark, subject: subject, threads: threads)
            let ratio = reference.map { $0.nanoseconds.median / result.nanoseconds.median }
            let spread = result.nanoseconds
            table.add([
                benchmark,
                "\(threads)",
                result.subject,
                number(spread.median, decimals: 1),
                "(\(number(spread.minimum, decimals: 1))–\(number(spread.maximum, decimals: 1)))",
                number(result.allocations, decimals: 2),
                result.hitRatio.map { number($0, decimals: 4) } ?? "",
                result.amplification.map { number($0, decimals: 2) } ?? "",
                result.subject == subject ? "" : ratio.map { number($0, decimals: 2) } ?? "",
            ])
        }
        return table.lines
    }

    static func number(_ value: Double, decimals: Int) -> String {
        String(format: "%.\(decimals)f", value)
    }
}
