/// What became of a bar.
struct Verdict: Sendable {
    enum Outcome: String, Sendable {
        case passed = "pass"
        case missed = "MISSED"
        case notMeasured = "not measured"
    }

    private static let decimals = 2

    /// Half of the last printed digit: a figure passes when it prints as no more than its limit.
    private static let tolerance = 0.005

    let bar: Bar
    let figure: Double?
    let outcome: Outcome

    init(on bar: Bar, in report: Report) {
        self.bar = bar
        figure = bar.figure(report)
        outcome = figure.map { $0 < bar.limit + Self.tolerance ? .passed : .missed } ?? .notMeasured
    }

    var line: String {
        "\(bar.title) is \(shownFigure), at most \(shownLimit)"
    }

    static func lines(of verdicts: [Verdict]) -> [String] {
        var table = Table([
            Table.Column("bar", .left), Table.Column("measured", .right), Table.Column("at most", .right),
            Table.Column("", .left),
        ])
        for verdict in verdicts {
            table.add([verdict.bar.title, verdict.shownFigure, verdict.shownLimit, verdict.outcome.rawValue])
        }
        return table.lines
    }

    private var shownFigure: String { figure.map { Table.number($0, decimals: Self.decimals) } ?? "–" }
    private var shownLimit: String { Table.number(bar.limit, decimals: Self.decimals) }
}
