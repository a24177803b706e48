import FoundationEssentials
import LarderStore
import Synchronization
import TestSupport
import Testing

struct RecoveryTests {
    private static let count = 400

    /// A closed store whose values are checked by `survivors`.
    private func filled(_ fixture: StoreFixture) throws {
        let store = try fixture.open()
        let table = try fixture.numbersToBytes(store)
        for key in 0..<Self.count { try table.setValue(pattern(key, count: key * 37 % 9_000), forKey: key) }
        try store.close()
    }

    /// Opens, checks that no wrong value is returned and that writes work; returns what was there and why it may not be.
    private func survivors(_ fixture: StoreFixture) throws -> (count: Int, recovery: StoreRecovery?) {
        let store = try fixture.open()
        let table = try fixture.numbersToBytes(store)
        var found = 0
        for key in 0..<Self.count {
            guard let value = table.value(forKey: key) else { continue }
            #expect(value == pattern(key, count: key * 37 % 9_000), "key \(key)")
            found += 1
        }
        try table.setValue([42], forKey: -1)
        try store.flush()
        #expect(table.value(forKey: -1) == [42])
        let recovery = store.recovery
        try store.close()
        return (found, recovery)
    }

    private func data(_ fixture: StoreFixture) -> String { fixture.path + "/data.mdb" }

    private func size(_ fixture: StoreFixture) -> Int {
        Files.size(data(fixture)) ?? -1
    }

    @Test(
        "L59 B25 V72 a truncated file is set aside, said so, and never read past its end",
        arguments: [0, 1, 100, 4_095, 4_096, 8_191, 8_192, 12_288, -1, -4_096, -100_000, Int.min]
    )
    func truncated(to length: Int) throws {
        let fixture = try StoreFixture()
        try filled(fixture)
        let full = size(fixture)
        let target = length == .min ? full / 2 : length < 0 ? full + length : length
        #expect(Files.truncate(data(fixture), to: target))
        let (count, recovery) = try survivors(fixture)
        if count < Self.count {
            #expect(recovery?.reason == .damaged)
            #expect(recovery?.quarantine != nil)
        }
        if target <= full / 2 { #expect(count == 0) }
    }

    @Test("V73 L56 a file that is no database is set aside, once, and kept", arguments: [0, 4_096])
    func foreign(offset: Int) throws {
        let fixture = try StoreFixture()
        try filled(fixture)
        try overwrite(fixture, at: offset, with: pattern(9, count: 4_096))
        let events = Atomic<Int>(0)
        let store = try fixture.open(
            events: StoreEvents(onRecovery: { _ in events.add(1, ordering: .relaxed) })
        )
        #expect(events.load(ordering: .relaxed) == 1)
        #expect(store.statistics.quarantined == 1)
        let quarantine = try #require(store.recovery?.quarantine)
        #expect(FileManager.default.fileExists(atPath: quarantine + "/data.mdb"))
        #expect(try fixture.numbersToBytes(store).count == 0)
        try store.close()
        let again = try fixture.open()
        #expect(again.recovery == nil)
        try again.close()
    }

    @Test("only the newest set-aside file is kept")
    func oneQuarantine() throws {
        let fixture = try StoreFixture()
        for _ in 0..<3 {
            try filled(fixture)
            try overwrite(fixture, at: 0, with: pattern(9, count: 8_192))
            let store = try fixture.open()
            #expect(store.recovery != nil)
            try store.close()
            fixture.clock.advance(by: .seconds(60))
        }
        let kept = try FileManager.default.contentsOfDirectory(atPath: fixture.path).filter {
            $0.hasPrefix("quarantine")
        }
        #expect(kept.count == 1)
    }

    @Test("V82 A90 another format is set aside and named")
    func otherFormat() throws {
        let fixture = try StoreFixture()
        try filled(fixture)
        let path = fixture.path + "/STATE"
        let text = try String(contentsOf: URL(filePath: path), encoding: .utf8)
        try text.replacing("format 2", with: "format 9").write(
            to: URL(filePath: path),
            atomically: true,
            encoding: .utf8
        )
        Files.setMode(path, 0o600)
        let (count, recovery) = try survivors(fixture)
        #expect(count == 0)
        #expect(recovery?.reason == .otherVersion)
        #expect(recovery?.detail.contains("9") == true)
    }

    @Test("L63 a missing or broken STATE means the file cannot be trusted")
    func state() throws {
        for text in [nil, "", "nonsense", "larder store\nformat 2\n"] {
            let fixture = try StoreFixture()
            try filled(fixture)
            let path = fixture.path + "/STATE"
            if let text { try text.write(toFile: path, atomically: false, encoding: .utf8) } else { Files.remove(path) }
            let (count, recovery) = try survivors(fixture)
            #expect(count == 0)
            #expect(recovery?.reason == .damaged)
        }
    }

    @Test("an unclean end of fast mode before a system crash starts empty; commit mode keeps its records")
    func systemCrash() throws {
        for durability in [Durability.fast, .commit, .strict] {
            let fixture = try StoreFixture()
            var configuration = StoreFixture.configuration()
            configuration.durability = durability
            let store = try fixture.open(configuration)
            try fixture.numbers(store).setValue(1, forKey: 1)
            try store.close()
            let path = fixture.path + "/STATE"
            let lines = try String(contentsOf: URL(filePath: path), encoding: .utf8).split(separator: "\n").map {
                $0.hasPrefix("boot") ? "boot of-another-time" : $0 == "clean 1" ? "clean 0" : String($0)
            }
            try lines.joined(separator: "\n").write(toFile: path, atomically: false, encoding: .utf8)
            let reopened = try fixture.open(configuration)
            let value = try fixture.numbers(reopened).value(forKey: 1)
            #expect(value == (durability == .fast ? nil : 1))
            #expect(reopened.recovery?.reason == (durability == .fast ? .unsyncedAfterSystemCrash : nil))
            try reopened.close()
        }
    }

    @Test("L55 L57 A76 bits, pages and stretches of a closed store's file are damaged: no crash, no wrong value")
    func damage() throws {
        var random = SeededRandom(seed: 55)
        let original = try StoreFixture()
        try filled(original)
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: data(original))))
        for trial in 0..<120 {
            var damaged = bytes
            let page = Int.random(in: 0..<(bytes.count / 4096), using: &random)
            let range = (page * 4096)..<((page + 1) * 4096)
            switch trial % 5 {
            case 0:
                damaged[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: for index in range { damaged[index] = 0 }
            case 2: for index in range { damaged[index] = UInt8.random(in: 0...255, using: &random) }
            case 3:
                let other = Int.random(in: 0..<(bytes.count / 4096), using: &random) * 4096
                damaged.replaceSubrange(range, with: bytes[other..<(other + 4096)])
            default:
                let start = Int.random(in: 0..<(bytes.count - 1024), using: &random)
                for index in start..<(start + 1024) { damaged[index] = 0 }
            }
            try Data(damaged).write(to: URL(filePath: data(original)))
            Files.setMode(data(original), 0o600)
            let (count, recovery) = try survivors(original)
            if recovery != nil { #expect(count == 0) }
            // Start over from the intact file, whose time is another one now: that alone is no damage.
            try Data(bytes).write(to: URL(filePath: data(original)))
            Files.setMode(data(original), 0o600)
        }
        #expect(try survivors(original).count == Self.count)
    }

    @Test("V74 a damaged value is a miss, counted and removed; afterwards it is a plain miss")
    func damagedValue() throws {
        let fixture = try StoreFixture()
        let marker = pattern(123, count: 64)
        var store = try fixture.open()
        try fixture.bytes(store).setValue(marker, forKey: "k")
        try fixture.bytes(store).setValue([1], forKey: "other")
        try store.close()
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: data(fixture))))
        let offsets = bytes.indices.dropLast(64).filter {
            bytes[$0] == marker[0] && Array(bytes[$0..<($0 + 64)]) == marker
        }
        #expect(!offsets.isEmpty)
        for offset in offsets { try overwrite(fixture, at: offset + 5, with: [marker[5] ^ 1]) }
        store = try fixture.open()
        #expect(store.recovery == nil)
        let table = try fixture.bytes(store)
        #expect(table.value(forKey: "k") == nil)
        #expect(store.statistics.damaged == 1)
        try store.flush()
        #expect(table.value(forKey: "k") == nil)
        #expect(store.statistics.damaged == 1)
        #expect(table.count == 1)
        #expect(table.value(forKey: "other") == [1])
        try store.close()
    }

    private func overwrite(_ fixture: StoreFixture, at offset: Int, with bytes: [UInt8]) throws {
        #expect(Files.overwrite(data(fixture), at: offset, with: bytes))
    }
}
