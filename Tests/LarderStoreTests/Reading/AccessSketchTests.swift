import Foundation
import TestSupport
import Testing

@testable import LarderStore

struct AccessSketchTests {
    private func hashes(_ count: Int, seed: UInt64) -> [RecordHash] {
        var random = SeededRandom(seed: seed)
        return (0..<count).map { _ in RecordHash(low: random.next(), high: random.next()) }
    }

    @Test("what was noted is found once, at any size and after growing", arguments: [0, 5_000, 200_000])
    func growing(records: Int) {
        let sketch = AccessSketch(budget: .gibibytes(1), records: 0)
        let noted = hashes(1_000, seed: 1)
        for hash in noted { sketch.note(hash) }
        sketch.fit(records: records)
        #expect(sketch.content.count * 64 >= 8 * records)
        // Two that share a bit are found once between them.
        #expect(noted.count { sketch.take($0) } > 900)
        // Less than an eighth shares a bit with others.
        let others = hashes(1_000, seed: 2)
        #expect(others.count { sketch.take($0) } < 250)
    }

    @Test("it never takes more than its limit")
    func limit() {
        let sketch = AccessSketch(budget: .mebibytes(1), records: 1 << 40)
        #expect(sketch.content.count == 1024)
        sketch.fit(records: .max / 8)
        #expect(sketch.content.count == 1024)
    }

    @Test("a sketch of another size adds what it held", arguments: [(0, 100_000), (100_000, 0), (0, 0)])
    func sizes(from: Int, to: Int) {
        let old = AccessSketch(budget: .gibibytes(1), records: from)
        let new = AccessSketch(budget: .gibibytes(1), records: to)
        let noted = hashes(500, seed: 3)
        for hash in noted { old.note(hash) }
        new.add(old.content)
        #expect(noted.count { new.take($0) } > 450)
    }

    /// Fills a store up to its budget, reads a few records, closes it, damages what it left, and fills it again.
    ///
    /// - Returns: How many of those that were read are still there.
    private func survivors(_ between: (_ file: String) throws -> Void) throws -> Int {
        let fixture = try StoreFixture()
        let configuration = StoreFixture.configuration(budget: .mebibytes(2))
        var store = try fixture.open(configuration)
        var table = try fixture.bytes(store)
        for key in 0..<1_000 { try table.setValue(pattern(key, count: 1_000), forKey: "\(key)") }
        try store.flush()
        for key in 0..<20 { #expect(table.value(forKey: "\(key)") != nil) }
        try store.close()
        try between(fixture.path + "/ACCESS")

        store = try fixture.open(configuration)
        #expect(store.recovery == nil)
        table = try fixture.bytes(store)
        for key in 0..<1_000 { try table.setValue(pattern(key, count: 1_000), forKey: "more \(key)") }
        try store.close()
        store = try fixture.open(configuration)
        table = try fixture.bytes(store)
        defer { try? store.close() }
        return (0..<20).count { table.value(forKey: "\($0)") != nil }
    }

    @Test("records read in the last session get their second chance in the next")
    func reopening() throws {
        let kept = try survivors { _ in }
        #expect(kept == 20)
        let forgotten = try survivors { Files.remove($0) }
        #expect(forgotten == 0)
    }

    @Test("a file that was cut, or made longer than any sketch, is not believed", arguments: [0, 10, 1_000, 1 << 30])
    func length(bytes: Int) throws {
        let count = try survivors { file in
            let isDone = Files.truncate(file, to: bytes)
            #expect(isDone)
        }
        #expect(count == 0)
    }

    @Test("a file with another byte is not believed", arguments: [0, 20, 900])
    func damage(offset: Int) throws {
        let count = try survivors { file in
            let byte = try Data(contentsOf: URL(filePath: file))[offset]
            let isDone = Files.overwrite(file, at: offset, with: [~byte])
            #expect(isDone)
        }
        #expect(count == 0)
    }

    @Test("another store's file is not believed")
    func foreign() throws {
        let other = try StoreFixture()
        let store = try other.open(StoreFixture.configuration(budget: .mebibytes(2)))
        let table = try other.bytes(store)
        for key in 0..<1_000 { try table.setValue([1], forKey: "\(key)") }
        try store.flush()
        let found = (0..<1_000).count { table.value(forKey: "\($0)") == [1] }
        #expect(found == 1_000)
        try store.close()
        let foreign = try Data(contentsOf: URL(filePath: other.path + "/ACCESS"))
        let count = try survivors { file in
            let isDone = Files.overwrite(file, at: 0, with: [UInt8](foreign))
            #expect(isDone)
        }
        #expect(count == 0)
    }
}
