import Foundation
import Testing

@testable import LarderBench

struct ReportTests {
    private let report = Report(results: [
        .sample("insert-evict", "larder", times: [3, 1, 2], allocations: 0.5, hitRatio: 0.75),
        .sample("get-int", "nscache", threads: 2, times: [4]),
    ])

    @Test("JSON is an array with the agreed fields, and no hit ratio where there is none")
    func json() throws {
        let object = try JSONSerialization.jsonObject(with: Data(try report.json().utf8))
        let array = try #require(object as? [[String: Any]])
        #expect(array.count == 2)
        #expect(Set(array[0].keys) == ["case", "subject", "threads", "nanoseconds", "allocations", "hitRatio"])
        #expect(Set(array[1].keys) == ["case", "subject", "threads", "nanoseconds", "allocations"])
        #expect(array[0]["case"] as? String == "insert-evict")
        #expect(array[0]["subject"] as? String == "larder")
        #expect(array[1]["threads"] as? Int == 2)
        #expect(array[0]["allocations"] as? Double == 0.5)
        #expect(array[0]["hitRatio"] as? Double == 0.75)
        #expect(array[0]["nanoseconds"] as? [String: Double] == ["minimum": 1, "median": 2, "maximum": 3])
    }

    @Test("a cell is found by case, subject and threads together")
    func lookup() {
        #expect(report.result(of: "get-int", subject: "nscache", threads: 2) == report.results[1])
        #expect(report.result(of: "get-int", subject: "nscache", threads: 1) == nil)
        #expect(report.result(of: "get-int", subject: "larder", threads: 2) == nil)
    }
}
