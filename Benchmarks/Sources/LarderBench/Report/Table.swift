internal import Foundation

/// Text in columns, for people.
struct Table {
    enum Alignment {
        case left
        case right
    }

    struct Column {
        let title: String
        let alignment: Alignment

        /// The least width, for tables that are printed in parts and are to look like one.
        var width = 0

        init(_ title: String, _ alignment: Alignment, width: Int = 0) {
            self.title = title
            self.alignment = alignment
            self.width = width
        }
    }

    let columns: [Column]
    private var rows: [[String]] = []

    init(_ columns: [Column]) {
        self.columns = columns
        rows.append(columns.map(\.title))
    }

    /// Adds a row, with a cell for every column.
    mutating func add(_ row: [String]) {
        precondition(row.count == columns.count, "a row of \(row.count) cells in \(columns.count) columns")
        rows.append(row)
    }

    /// The titles, then the rows.
    var lines: [String] {
        let widths = columns.indices.map { column in
            max(columns[column].width, rows.map { $0[column].count }.max() ?? 0)
        }
        return rows.map { row in
            var line = ""
            for (column, cell) in row.enumerated() {
                let padding = String(repeating: " ", count: widths[column] - cell.count)
                line += column == 0 ? "" : "  "
                line += columns[column].alignment == .left ? cell + padding : padding + cell
            }
            while line.last == " " { line.removeLast() }
            return line
        }
    }

    static func number(_ value: Double, decimals: Int) -> String {
        String(format: "%.\(decimals)f", value)
    }
}
