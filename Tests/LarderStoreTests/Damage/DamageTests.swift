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
}
