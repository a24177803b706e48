/// The results of a run for people, a case at a time, so that each can be read while the next is measured.
///
/// Columns are as wide as names are long and figures usually are; a case with larger figures makes its own rows wider.
struct ResultTable {
    private let subject: String
    private let columns: [Table.Column]
    private var isBegun = false

    /// The last column compares `subject` with each of the others.
    init(of cases: [Case], subject: String) {
        self.subject = subject
        columns = [
            Table.Column("case", .left, width: cases.map(\.name.count).max() ?? 0),
            Table.Column("threads", .right),
            Table.Column("subject", .left, width: cases.flatMap(\.subjects).map(\.name.count).max() ?? 0),
            Table.Column("ns/op", .right, width: 9),
            Table.Column("(min–max)", .right, width: 19),
            Table.Column("allocations", .right),
            Table.Column("hit ratio", .right),
            Table.Column("file/payload", .right),
            Table.Column("\(subject)/it", .right),
        ]
    }

    /// The lines of one more case: under the titles if it is the first, under an empty line if not.
    mutating func lines(of results: [CaseResult]) -> [String] {
        defer { isBegun = true }
        let reference = results.first { $0.subject == subject }
        var table = Table(columns)
        for result in results {
            let spread = result.nanoseconds
            let ratio = reference.map { $0.nanoseconds.median / spread.median }
            table.add([
                result.benchmark,
                "\(result.threads)",
                result.subject,
                Table.number(spread.median, decimals: 1),
                "(\(Table.number(spread.minimum, decimals: 1))–\(Table.number(spread.maximum, decimals: 1)))",
                Table.number(result.allocations, decimals: 2),
                result.hitRatio.map { Table.number($0, decimals: 4) } ?? "",
                result.amplification.map { Table.number($0, decimals: 2) } ?? "",
                result.subject == subject ? "" : ratio.map { Table.number($0, decimals: 2) } ?? "",
            ])
        }
        return isBegun ? [""] + table.lines.dropFirst() : table.lines
    }
}
