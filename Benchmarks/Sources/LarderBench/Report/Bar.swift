/// A figure of a report that must not be above a limit.
struct Bar: Sendable {
    let title: String
    let limit: Double

    /// Takes the figure from a report; `nil` when what it needs was not measured.
    let figure: @Sendable (Report) -> Double?
}

extension Bar {
    /// A place in a report.
    struct Cell: Sendable, CustomStringConvertible {
        let benchmark: String
        let subject: String
        let threads: Int

        init(_ benchmark: String, _ subject: String, threads: Int = 1) {
            self.benchmark = benchmark
            self.subject = subject
            self.threads = threads
        }

        var description: String { "\(benchmark)/\(subject)/\(threads)" }

        func result(in report: Report) -> CaseResult? {
            report.result(of: benchmark, subject: subject, threads: threads)
        }
    }

    /// The median time of one cell against that of another.
    static func ratio(_ cell: Cell, to other: Cell, atMost limit: Double) -> Bar {
        Bar(title: "\(cell) : \(other)", limit: limit) { report in
            guard let time = cell.result(in: report), let otherTime = other.result(in: report) else {
                return nil
            }
            return time.nanoseconds.median / otherTime.nanoseconds.median
        }
    }

    /// The allocations of each operation.
    static func allocations(_ cell: Cell, _ title: String, atMost limit: Double) -> Bar {
        Bar(title: "\(cell) allocations, \(title)", limit: limit) { cell.result(in: $0)?.allocations }
    }

    /// The allocations of each operation that missed, where those that hit allocate nothing.
    static func allocationsOfMisses(_ cell: Cell, _ title: String, atMost limit: Double) -> Bar {
        Bar(title: "\(cell) allocations, \(title)", limit: limit) { report in
            guard let result = cell.result(in: report), let hitRatio = result.hitRatio else {
                return nil
            }
            return hitRatio < 1 ? result.allocations / (1 - hitRatio) : result.allocations
        }
    }

    /// The median time of an operation in milliseconds.
    static func milliseconds(_ cell: Cell, atMost limit: Double) -> Bar {
        Bar(title: "\(cell) ms", limit: limit) { cell.result(in: $0).map { $0.nanoseconds.median / 1e6 } }
    }

    /// The bytes of file for each byte of payload.
    static func amplification(_ cell: Cell, atMost limit: Double) -> Bar {
        Bar(title: "\(cell) file : payload", limit: limit) { cell.result(in: $0)?.amplification }
    }

    /// The size of the files in mebibytes.
    static func mebibytes(_ cell: Cell, atMost limit: Double) -> Bar {
        Bar(title: "\(cell) file MiB", limit: limit) { report in
            cell.result(in: report)?.fileBytes.map { Double($0) / 1_048_576 }
        }
    }
}
