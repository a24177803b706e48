import Foundation
import LarderStore
import TestSupport
import Testing

/// Crashes of the whole system, simulated: a recorded life of a store is cut anywhere, some of what was not yet synced is
/// lost, and another process opens what is left.
struct PowerLossTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private static let cuts = 10
    private static var recordings: Int { Torture.count(2, full: 10) }

    private func record(
        _ durability: Durability,
        seed: UInt64,
        operations: Range<Int> = 0..<300,
        after earlier: Recording? = nil,
        ending: CrashProcess.Ending = .close
    ) throws -> Recording {
        try Recording(
            at: directory.path("recorded-\(seed)"),
            durability,
            CrashWorkload(seed: seed),
            operations,
            after: earlier,
            ending: ending
        )
    }

    /// Cuts a recording at random points, and calls `body` with each cut and what a process finds after it.
    private func cut(
        _ recording: Recording,
        seed: UInt64,
        as durability: Durability? = nil,
        _ body: (_ cut: Int, CrashReport) throws -> Void
    ) throws {
        var random = SeededRandom(seed: seed)
        var cuts = (0..<Self.cuts).map { _ in Int.random(in: 0...recording.events.count, using: &random) }
        cuts.sort()
        var disk = recording.initial
        for index in 0...recording.events.count {
            while cuts.first == index {
                cuts.removeFirst()
                var contents = disk.contentsAfterPowerLoss(&random)
                SimulatedDisk.reboot(&contents)
                if let durability { SimulatedDisk.pretend(durability, &contents) }
                let place = directory.path("cut-\(seed)-\(index)-\(cuts.count)")
                try SimulatedDisk.write(contents, to: place)
                let found = try CrashProcess(
                    place,
                    durability ?? recording.durability,
                    recording.workload,
                    ending: .probe
                ).finish()
                try body(index, found)
                try FileManager.default.removeItem(atPath: place)
            }
            if index < recording.events.count { disk.apply(recording.events[index]) }
        }
    }

    /// How what was found breaks what `durability` promises; `nil` if it does not.
    private static func breach(
        _ recording: Recording,
        _ cut: Int,
        _ found: CrashReport,
        by durability: Durability
    ) -> String? {
        if let flaw = found.flaw { return flaw }
        if found.damaged > 0 { return "\(found.damaged) records are damaged" }
        let safe = recording.promise(at: cut, by: durability)
        if let reason = found.recovery {
            return safe > recording.operations.lowerBound
                ? "starts empty (\(reason)) with \(safe) operations safe" : nil
        }
        let ends = recording.before.ends(of: recording.operations, in: recording.workload, reaching: found.state)
        guard let end = ends.last else { return "is in no state it ever was in" }
        return end < safe ? "is as after operation \(end), with \(safe) safe" : nil
    }

    @Test(
        "L58 what was promised survives the loss of power at any moment",
        arguments: Durability.allCases
    )
    func promises(_ durability: Durability) throws {
        for number in 0..<Self.recordings {
            let seed = UInt64(number) * 7 + 58
            let recording = try record(durability, seed: seed)
            #expect(recording.report.isClosed, "seed \(seed): \(recording.report.failure ?? "")")
            try cut(recording, seed: seed) { cut, found in
                let breach = Self.breach(recording, cut, found, by: durability)
                #expect(breach == nil, "seed \(seed), cut at event \(cut) of \(recording.events.count)")
                guard durability == .fast, !found.state.numbers.isEmpty else { return }
                // Nothing was synced before the end, so only the end may have left something.
                #expect(
                    recording.after == found.state,
                    "seed \(seed), cut \(cut)"
                )
            }
        }
    }

    @Test("a store that nothing synced is synced before it is reopened with a mode that promises more")
    func stricterMode() throws {
        for number in 0..<Torture.count(1, full: 10) {
            let seed = UInt64(number) + 900
            let fast = try record(.fast, seed: seed, ending: .abandon)
            let strict = try record(.strict, seed: seed, operations: 300..<320, after: fast)
            try cut(strict, seed: seed) { cut, found in
                let breach = Self.breach(strict, cut, found, by: .strict)
                #expect(breach == nil, "seed \(seed), cut at event \(cut) of \(strict.events.count)")
                #expect(found.recovery != "damaged", "seed \(seed), cut at event \(cut) of \(strict.events.count)")
            }
        }
    }

    @Test("L58 the simulator finds out commits that nothing syncs")
    func control() throws {
        let seed: UInt64 = 4
        let recording = try record(.fast, seed: seed, ending: .abandon)
        var (losses, damages) = (0, 0)
        try cut(recording, seed: seed, as: .strict) { cut, found in
            if Self.breach(recording, cut, found, by: .strict) != nil { losses += 1 }
            let ends = recording.before.ends(of: recording.operations, in: recording.workload, reaching: found.state)
            if found.flaw != nil || found.recovery != nil || found.damaged > 0 || ends.isEmpty { damages += 1 }
        }
        #expect(losses > Self.cuts / 2)
        #expect(damages > 0)
        print("of \(Self.cuts) power losses, \(losses) lost what was flushed, and \(damages) damaged the store")
    }
}
