import Testing

@testable import LarderBench

struct ResultTableTests {
    private static func subject(_ name: String) -> Subject {
        Subject(name: name) { Trial(hits: .none) { _, _ in Tally() } }
    }

    private static let cases = [1, 2].map {
        Case(name: "get-int", threads: $0, subjects: [subject("larder"), subject("nscache")])
    }

    @Test("the subject is compared with each of the others of the same case")
    func comparison() {
        var table = ResultTable(of: Self.cases, subject: "larder")
        let first = table.lines(of: [
            .sample("get-int", "larder", times: [10]), .sample("get-int", "nscache", times: [40]),
        ])
        #expect(first.count == 3)
        #expect(first.first?.hasPrefix("case") == true)
        #expect(first.dropFirst().map { $0.hasSuffix("0.25") } == [false, true])
        let second = table.lines(of: [.sample("get-int", "nscache", threads: 2, times: [40])])
        #expect(second.count == 2)
        #expect(second.first == "")
        #expect(second.last?.contains("40.0") == true)
        #expect(second.last?.hasSuffix("0.00") == true)
    }

    @Test("cases printed one after the other stand in the same columns")
    func columns() {
        var table = ResultTable(of: Self.cases, subject: "larder")
        let first = table.lines(of: [.sample("get-int", "larder", times: [1.5, 2, 1_234_567])])
        let second = table.lines(of: [.sample("get-int", "nscache", threads: 2, times: [12_345])])
        #expect(Set((first + second).filter { !$0.isEmpty }.dropFirst().map(\.count)).count == 1)
    }
}
