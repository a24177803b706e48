import LMDB
import TestSupport
import Testing
import Threading

@testable import LarderStore

/// Damage in a file that is not looked through at its opening, found before anyone reads it.
struct BackgroundCheckTests {
    enum Part: CaseIterable {
        case indexLeaf
        case indexBranch
        case valueHead
        case dataLeaf

        /// Spoils a page of its kind; of those that opening the store touches none.
        func damage(_ bytes: inout [UInt8]) {
            for page in FilePage.all(in: bytes) {
                switch (self, page.kind) {
                case (.indexLeaf, .leaf) where page.isOfIndex: bytes.replaceSubrange(page.range, with: Self.zeros)
                // The offset of the second node.
                case (.indexBranch, .branch) where page.isOfIndex: bytes[page.start + 19] ^= 0x40
                // How many pages the value takes.
                case (.valueHead, .overflow): bytes[page.start + 12] ^= 1
                // The bounds of the nodes.
                case (.dataLeaf, .leaf) where page.keyBytes == 8:
                    bytes[page.start + 15] ^= 0x80
                    return
                default: continue
                }
            }
        }

        private static let zeros = [UInt8](repeating: 0, count: FilePage.byteCount)
    }

    private static let large = StoreFaults(alwaysCheckedPages: 0)

    /// By default with values too large for the pages of the trees, however few of them a commit writes.
    private func fill(_ fixture: StoreFixture, keys: Int, bytes: Int = 3_000) throws {
        let store = try fixture.open()
        let table = try fixture.numbersToBytes(store)
        for key in 0..<keys { try table.setValue(pattern(key, count: bytes), forKey: key) }
        try store.close()
    }

    @Test(
        "L55 a rotten page of a file too large to be read through at open is found without a read",
        arguments: Part.allCases
    )
    func isFound(_ part: Part) async throws {
        let (fixture, reports) = (try StoreFixture(), RecoveryReports())
        try fill(fixture, keys: 2_000)
        try fixture.rot(part.damage)
        let store = try fixture.open(events: reports.events, faults: Self.large)
        #expect(store.recovery == nil)
        #expect(await eventually { reports.list.count == 1 })
        #expect(reports.list.first?.reason == .damaged)
        #expect(reports.list.first?.detail.contains("page") == true, "\(reports.list)")
        let table = try fixture.numbersToBytes(store)
        #expect(table.count == 0)
        try table.setValue([1], forKey: 1)
        try store.close()
        #expect(try Store.verify(at: fixture.path).isSound)
        let again = try fixture.open(events: reports.events, faults: Self.large)
        #expect(try fixture.numbersToBytes(again).value(forKey: 1) == [1])
        try again.close()
        #expect(reports.list.count == 1)
    }

    @Test("L55 a rotten page of a store that is shared is left to its next opening")
    func sharedStore() async throws {
        let (fixture, reports) = (try StoreFixture(), RecoveryReports())
        try fill(fixture, keys: 1_000, bytes: 1_000)
        try fixture.rot(Part.indexLeaf.damage)
        var configuration = StoreFixture.configuration()
        configuration.multiProcess = true
        let store = try fixture.open(configuration, events: reports.events, faults: Self.large)
        #expect(await eventually { store.core.damageReports.withLock { $0.isGivenUp } })
        try store.close()
        #expect(reports.list.isEmpty)
        let again = try fixture.open(configuration, events: reports.events, faults: Self.large)
        #expect(again.recovery?.reason == .damaged)
        try again.close()
    }

    @Test("damage that was met in a file that has been set aside meanwhile is not held against its successor")
    func lateReport() throws {
        let (fixture, reports) = (try StoreFixture(), RecoveryReports())
        let store = try fixture.open(events: reports.events)
        let table = try fixture.numbersToBytes(store)
        try table.setValue([1], forKey: 1)
        store.core.noteReadFailure(.damaged(call: "mdb_get"))
        store.core.queue.enqueue(WriteOperation(.setAside("found by another thread")))
        try store.flush()
        try table.setValue([2], forKey: 2)
        store.core.queue.enqueue(WriteOperation(.setAside("found by a third one")))
        try store.flush()
        #expect(reports.list.count == 1)
        #expect(table.value(forKey: 2) == [2])
        try store.close()
    }

    @Test("L55 how much is read at open is decided by the pages of trees, not by the size of the file")
    func threshold() throws {
        let (fixture, reports) = (try StoreFixture(), RecoveryReports())
        try fill(fixture, keys: 7_500)
        #expect(Files.size(fixture.path + "/data.mdb") ?? 0 > 20 << 20)
        try fixture.rot(Part.indexLeaf.damage)
        // Not the last word: that it is trusted is undone by the next opening.
        let trusting = StoreFaults(alwaysCheckedPages: 100, checksInBackground: false)
        let trusted = try fixture.open(events: reports.events, faults: trusting)
        #expect(trusted.recovery == nil)
        try trusted.close()
        let store = try fixture.open(events: reports.events)
        #expect(store.recovery?.reason == .damaged)
        #expect(reports.list.count == 1)
        try store.close()
    }

    @Test("a record of a tree with an impossible number of pages does not keep a file from being checked")
    func impossibleCount() throws {
        let (fixture, reports) = (try StoreFixture(), RecoveryReports())
        try fill(fixture, keys: 1_000, bytes: 100)
        try fixture.rot { bytes in
            // The number of leaf pages of the index, in the main tree.
            for page in FilePage.all(in: bytes) where page.kind == .leaf {
                guard let name = bytes[page.range].firstRange(of: Array("index".utf8)) else { continue }
                bytes[name.upperBound + 16 + 4] = 1
            }
        }
        let store = try fixture.open(events: reports.events)
        #expect(store.recovery?.reason == .damaged)
        try store.close()
    }

    @Test("a sound store is left alone, whether it is written to, compacted or closed while it is being checked")
    func soundStore() throws {
        let (fixture, reports) = (try StoreFixture(), RecoveryReports())
        try fill(fixture, keys: 3_000, bytes: 1_000)
        for round in 0..<Torture.count(10, full: 300) {
            let store = try fixture.open(events: reports.events, faults: Self.large)
            let table = try fixture.numbersToBytes(store)
            let end = ContinuousClock.now.advanced(by: .milliseconds(round % 5 * 10))
            var key = round
            while ContinuousClock.now < end {
                try table.setValue(pattern(key, count: 900), forKey: key % 3_000)
                try store.flush()
                key += 7
            }
            if round % 3 == 1 { try store.compact() }
            try store.close()
        }
        #expect(reports.list.isEmpty)
        #expect(try Store.verify(at: fixture.path).isSound)
    }
}
