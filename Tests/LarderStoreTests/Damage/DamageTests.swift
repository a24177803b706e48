import Foundation
import LarderStore
import TestSupport
import Testing

/// What the disk, or someone's hand, does to the files of a closed store.
struct DamageTests {
    @Test("L55 V72 damage of any kind to a closed store: no crash, no wrong value, and it can be used afterwards")
    func damage() throws {
        let directory = try TemporaryDirectory()
        let workload = CrashWorkload(seed: 55)
        let original = directory.path("original")
        let written = try CrashProcess(original, .commit, workload, 0..<500, ending: .close).finish()
        #expect(written.isClosed)
        let expected = (0..<500).reduce(into: CrashState()) { $0.apply($1, of: workload) }
        var noticed = 0
        for number in 0..<Torture.count(56, full: 500) {
            let seed = UInt64(number)
            let damage = FileDamage(seed: seed)
            let note = Comment(rawValue: "seed \(seed): \(damage)")
            let place = directory.path("damaged-\(seed)")
            try Files.copyDirectory(original, to: place)
            try damage.apply(to: place)
            let isSound = try Store.verify(at: place).isSound
            let found = try CrashProcess(place, .commit, workload, ending: .probe).finish()
            #expect(found.flaw == nil, note)
            #expect(found.isClosed, note)
            // What is there is the newest value, not one of an earlier time.
            for (place, number) in found.state.numbers { #expect(expected.numbers[place] == number, note) }
            if found.state != expected { noticed += 1 }
            // Nothing goes missing unnoticed.
            if found.state != expected { #expect(!isSound || found.recovery != nil, note) }
            try FileManager.default.removeItem(atPath: place)
        }
        #expect(noticed > 0)
    }

    @Test(
        "L55 the trees of a file of 30 MiB rot without a trace: no crash, no wrong value, and it can be used afterwards"
    )
    func rot() throws {
        let directory = try TemporaryDirectory()
        let original = directory.path("original")
        // Values too large for the pages of the trees, however few of them a commit writes.
        let keys = 9_000
        let writer = try ObedientProcess()
        #expect(writer.ask("open \(original) commit alone") == "opened")
        #expect(writer.ask("fill t \(keys) 3000") == "done")
        #expect(writer.ask("close") == "done")
        #expect(Files.size(original + "/data.mdb") ?? 0 > 25 << 20)
        var setAside = 0
        for number in 0..<Torture.count(18, full: 180) {
            let damage = FileDamage(rotOfTrees: UInt64(number))
            let note = Comment(rawValue: "seed \(number): \(damage)")
            let place = directory.path("rotten-\(number)")
            try Files.copyDirectory(original, to: place)
            try damage.apply(to: place)
            let process = try ObedientProcess()
            let opened = try #require(process.ask("open \(place) commit alone"), note)
            let answer = try #require(process.ask("check t \(keys) 3000"), note)
            let found = answer.split(separator: " ").compactMap { Int($0) }
            #expect(found.count == 2 && found.last == 0, note)
            if opened.hasPrefix("recovered") {
                setAside += 1
                #expect(found.first == 0, note)
            } else {
                // What is not found at open is not met by LMDB either; but the places of two records may have changed.
                #expect(opened == "opened", note)
                #expect(found.first ?? 0 >= keys - 2, note)
            }
            #expect(process.ask("fill t 50 700") == "done", note)
            #expect(process.ask("flush") == "done", note)
            #expect(process.ask("check t 50 700") == "found 50 wrong 0", note)
            #expect(process.ask("close") == "done", note)
            try FileManager.default.removeItem(atPath: place)
        }
        #expect(setAside > 5)
    }
}
